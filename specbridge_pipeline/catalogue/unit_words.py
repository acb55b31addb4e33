"""Units of measure with the words and symbols that stand for them, and words that say a quantity.

Plain tables: a unit or a word that is missing is added here, and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass

from specbridge_pipeline.catalogue.model import Quantity


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measure.

    Attributes:
        name: What it is called, in the plural: "kilometres".
        quantity: What is measured in it; of "miles per hour" the quantity that is divided.
        per: What that is divided by; None where it is no rate.
        adds_up: Whether values in it are usually amounts that add up over rows.
    """

    name: str
    quantity: Quantity
    per: Quantity | None
    adds_up: bool


# name | quantity, or quantity / quantity; + where amounts in it usually add up | words of names |
# further words and symbols of documents. An underscore stands for a space.
_UNITS = """
milliseconds | duration + | milliseconds millisecond ms msec msecs |
seconds | duration + | seconds secs sec | second s
minutes | duration + | minutes minute mins | min
hours | duration + | hours hrs | hour hr h
days | duration + | days | day
weeks | duration | weeks | week
months | duration | months | month
years | duration | years | year yrs yr
nanometres | length | nm nanometers nanometres |
micrometres | length | micrometers micrometres | µm um
millimetres | length | mm millimeters millimetres | millimeter millimetre
centimetres | length | cm centimeters centimetres | centimeter centimetre
metres | length | meters metres | meter metre m
kilometres | length + | km kms kilometers kilometres | kilometer kilometre
inches | length | inches | inch
feet | length | feet ft | foot
yards | length | yds | yards yard yd
miles | length + | miles mile | mi
nautical miles | length + | nmi nautical_miles | nautical_mile
light years | length | lightyears light_years | ly light-years light-year
parsecs | length | parsecs | pc parsec
square metres | area + | m2 sqm square_meters square_metres | m² m^2 sq_m square_meter
square kilometres | area + | km2 sqkm square_km | km² km^2 sq_km square_kilometers
square feet | area + | ft2 sqft square_feet | ft² sq_ft
square miles | area + | sqmi square_miles | sq_mi
acres | area + | acres | acre
hectares | area + | hectares | ha hectare
litres | volume + | liters litres | l liter litre
millilitres | volume + | ml milliliters millilitres |
gallons | volume + | gallons | gallon gal
barrels | volume + | barrels | bbl
cubic metres | volume + | m3 cubic_meters cubic_metres | m³ m^3 cubic_meter
cubic centimetres | volume | cm3 cubic_centimeters | cm³ ccm
milligrams | mass | mg milligrams | milligram
grams | mass | grams | gram g
kilograms | mass | kg kgs kilograms | kilogram
pounds | mass | pounds lbs lb | pound
ounces | mass | ounces oz | ounce
tons | mass + | tons | ton
tonnes | mass + | tonnes metric_tonnes metric_tons | tonne t metric_ton
degrees Celsius | temperature | celsius | °c ℃ c degree_celsius degrees_c
degrees Fahrenheit | temperature | fahrenheit | °f ℉ f degrees_fahrenheit degrees_f
kelvin | temperature | kelvin | k
degrees | angle | degrees | degree deg °
arcseconds | angle | arcsec arcseconds | arcs arcsecond
radians | angle | radians | rad
hectopascals | pressure | hpa | hectopascals
pascals | pressure | pascals | pa kpa
millibars | pressure | mbar millibars |
millimetres of mercury | pressure | mmhg |
watts | power | watts | watt w
kilowatts | power | kw kilowatts |
megawatts | power | mw megawatts |
horsepower | power | horsepower | hp bhp
decibels | unknown | decibels | db decibel dbm
kilowatt hours | energy + | kwh |
calories | energy + | calories | calorie cal
kilocalories | energy + | kcal |
hertz | frequency | hertz | hz
kilohertz | frequency | khz |
megahertz | frequency | mhz |
gigahertz | frequency | ghz |
bits | data size | bits |
bytes | data size + | bytes | byte
kilobytes | data size + | kb kilobytes |
megabytes | data size + | mb megabytes |
mebibytes | data size + | mib mebibytes |
gigabytes | data size + | gb gigabytes |
terabytes | data size + | tb terabytes |
pixels | unknown |  | px pixels pixel
lux | unknown | lux | lx
percent | share | percent percentage pct | % per_cent
parts per million | share | ppm |
dollars | money + | dollars dollar | $
US dollars | money + | usd us_dollars us_dollar | us$
euros | money + | eur euros euro | €
pounds sterling | money + | gbp | £ pounds_sterling
Czech crowns | money + | czk | czech_crowns czech_koruna
yen | money + | jpy yen | ¥
yuan | money + | cny rmb yuan |
rupees | money + | inr rupees | rupee
Canadian dollars | money + | cad |
Swiss francs | money + | chf |
miles per hour | length / duration | mph |
kilometres per hour | length / duration | kmh kph kmph |
knots | length / duration | knots | knot
miles per gallon | length / volume | mpg |
revolutions per minute | count / duration | rpm |
dots per inch | count / length | dpi |
frames per second | count / duration | fps |
thousands | unknown |  | thousand thousands
millions | unknown | million millions | mln
billions | unknown | billion billions | bln bn
"""

SCALES = frozenset({"thousands", "millions", "billions"})
"""Units that say how many of another unit one is: "millions of US dollars"."""

# quantity | words of names of measures that have it
_QUANTITIES = """
money       | salary salaries wage wages revenue revenues cost costs price prices fee fees income
money       | expense expenses payment payments budget earnings profit profits tax taxes debt
money       | gross amount amounts paid spent donation donated invested investment worth bonus
money       | commission charge charges refund turnover GDP GNP balance bill fare rent deposit
money       | money asset assets liability liabilities fine capital stipend fund funds grant loan
duration    | year years age duration delay tenure lifespan expectancy period runtime
duration    | lag uptime downtime
length      | height distance altitude elevation depth width diameter radius mileage wavelength
length      | thickness circumference wingspan length
area        | area acreage surface
mass        | weight mass tonnage payload
temperature | temperature temperatures dewpoint
pressure    | pressure
angle       | angle slope bearing azimuth latitude longitude
power       | horsepower wattage
energy      | calories energy
frequency   | frequency frequencies
share       | percent percentage share probability proportion fraction discount humidity
score       | score scores rating ratings grade grades GPA gpa index stars mark marks quality
score       | satisfaction potential intelligence stability integrity complexity similarity
score       | reliability confidence strength severity sensitivity
rank        | rank ranking rankings position place seed order sequence standing finish grid
rank        | priority ordinal
count       | population attendance enrollment enrolment membership quantity headcount
"""

AMBIGUOUS_PLURALS = frozenset({"sales", "losses", "savings", "returns", "totals", "results"})
"""Plurals that may be amounts of money as well as counts."""

MONEY_PHRASES = frozenset({"market value", "book value", "stock value", "net worth"})

SALES_TABLES = frozenset({"invoice", "order", "bill", "receipt", "sale", "purchase", "payment"})
"""Tables whose totals are amounts of money."""

PACE_WORDS = frozenset({"daily", "hourly", "nightly"})
"""Words that make an amount of money one per time, where nobody adds it up."""

UNITS_OF_PROPERTIES = frozenset(
    {"light years", "parsecs", "nanometres", "micrometres", "millimetres", "horsepower"}
)
"""Units in which things are measured, and hardly ever what they add up to."""

RATE_WORDS: dict[str, tuple[Quantity, Quantity]] = {
    "speed": (Quantity.LENGTH, Quantity.DURATION),
    "velocity": (Quantity.LENGTH, Quantity.DURATION),
}
"""Words of measures that are one quantity per another."""

NOT_ADDED_QUANTITIES = {
    Quantity.TEMPERATURE: "temperatures are averaged, not added up",
    Quantity.PRESSURE: "pressures are averaged, not added up",
    Quantity.ANGLE: "angles and directions are not added up",
    Quantity.SHARE: "percentages and shares of different wholes are not added up",
    Quantity.SCORE: "marks on a scale are averaged, not added up",
    Quantity.RANK: "places in an order are not added up",
    Quantity.FREQUENCY: "frequencies are not added up",
    Quantity.POWER: "it is a property of each thing, not an amount",
}
"""Quantities whose values never add up over rows, and why."""


def _read_units() -> tuple[dict[str, Unit], dict[str, Unit], dict[str, Unit]]:
    by_name: dict[str, Unit] = {}
    by_word: dict[str, Unit] = {}
    by_symbol: dict[str, Unit] = {}
    for line in _UNITS.strip().splitlines():
        name, kind, words, symbols = (part.strip() for part in line.split("|"))
        above, _, below = kind.removesuffix("+").partition("/")
        unit = Unit(
            name,
            Quantity(above.strip()),
            Quantity(below.strip()) if below else None,
            kind.endswith("+"),
        )
        by_name[name] = unit
        for word in words.split():
            by_word[word.replace("_", " ")] = unit
        for word in (*words.split(), *symbols.split(), name.lower().replace(" ", "_")):
            by_symbol.setdefault(word.replace("_", " "), unit)
    return by_name, by_word, by_symbol


def _read_quantities() -> dict[str, Quantity]:
    found: dict[str, Quantity] = {}
    for line in _QUANTITIES.strip().splitlines():
        quantity, words = line.split("|")
        found |= {word.lower(): Quantity(quantity.strip()) for word in words.split()}
    return found


UNITS, UNITS_OF_NAMES, UNITS_OF_DOCUMENTS = _read_units()
"""Units by what they are called, by the words of names, and by what documents write."""

QUANTITY_WORDS = _read_quantities()
"""Words, in lower case, that say what a measure is a number of."""
