"""Words that the rules of this room know: abbreviations, plurals, units, kinds of quantity."""

from __future__ import annotations


def _table(text: str) -> dict[str, str]:
    """Read lines of `word = words`."""
    pairs = (line.split("=") for line in text.strip().splitlines())
    return {left.strip(): right.strip() for left, right in pairs}


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


ABBREVIATIONS = _table("""
abbr = abbreviation
acc = account
acct = account
addr = address
amt = amount
attr = attribute
avg = average
bal = balance
cnt = count
co2 = CO2
cust = customer
dept = department
desc = description
dest = destination
dist = distance
dob = date of birth
emp = employee
freq = frequency
fname = first name
gpa = GPA
img = image
lat = latitude
lname = last name
lng = longitude
loc = location
lon = longitude
max = maximum
min = minimum
mgr = manager
msg = message
no = number
nr = number
num = number
org = organization
pct = percentage
perc = percentage
pos = position
prof = professor
pts = points
qty = quantity
ref = reference
sched = scheduled
seq = sequence
stu = student
temp = temperature
tot = total
trans = transaction
txn = transaction
url = URL
val = value
vol = volume
yr = year
""")
"""Short forms in names, and what they are short for."""

COMPOUNDS = _table("""
birthdate = birth date
birthday = birthday
birthplace = birth place
birthyear = birth year
countrycode = country code
countrylanguage = country language
firstname = first name
fullname = full name
homephone = home phone
lastname = last name
middlename = middle name
ordernumber = order number
phonenumber = phone number
postalcode = postal code
startdate = start date
enddate = end date
unitprice = unit price
username = user name
zipcode = zip code
""")
"""Words that names often write as one."""

IRREGULAR_PLURALS = _table("""
analysis = analyses
axis = axes
bus = buses
child = children
crisis = crises
criterion = criteria
curriculum = curricula
datum = data
diagnosis = diagnoses
foot = feet
goose = geese
half = halves
hero = heroes
index = indexes
knife = knives
leaf = leaves
life = lives
man = men
matrix = matrices
medium = media
mouse = mice
movie = movies
cookie = cookies
hypothesis = hypotheses
person = people
phenomenon = phenomena
shelf = shelves
shoe = shoes
superhero = superheroes
synopsis = synopses
tax = taxes
thesis = theses
tie = ties
tooth = teeth
wife = wives
wolf = wolves
woman = women
vertex = vertices
zombie = zombies
calorie = calories
gas = gases
lens = lenses
fax = faxes
cause = causes
house = houses
warehouse = warehouses
clause = clauses
purchase = purchases
cache = caches
""")
"""Singular and plural where no rule gives one from the other."""

INVARIABLE = _set("""
aircraft spacecraft series species headquarters means news sheep fish deer offspring corps
physics mathematics athletics economics politics statistics dynamics always across plus minus this
spent remaining left active cattle oxen
""")
"""Nouns with one form, and words that only look like plurals."""

MASS_NOUNS = _set("""
accommodation advice attendance batting behavior behaviour clothing coverage data employment
equipment faculty feedback fielding finance furniture geography hardware health history information
insurance inventory knowledge luggage machinery mail maintenance membership merchandise money
music ownership participation pitching population research schooling software staff storage
traffic transportation travel weather work
""")
"""Nouns that are not counted: a row of such a table is a record of it."""

RECORD_WORDS = _set("""
salary salaries appearances postseason awards award stats sales attends likes has visits plays
lives logs log fame participates friend friends grade grades temp data statistic financials
standings results performance teaches enrolls enrolled takes
""")
"""Last words of table names whose rows are better called records."""

PREPOSITIONS = _set("of in to for by with from at on per after before during without")

DATE_WORDS = _set("date datetime timestamp day_of_birth birthday dob")
"""Last words of names of days and moments."""

FOUNDING_WORDS = _set("""
founded established opened built since season introduced released launch opening creation formed
constructed elected debut
launched acquired completed renovated retired hired published commissioned joined started
incorporated awarded appointed
""")
"""Words of whole numbers that are years when their size is that of years."""

CALENDAR_WORDS = {
    "month": (1, 12),
    "day": (1, 31),
    "hour": (0, 24),
    "minute": (0, 60),
    "quarter": (1, 4),
    "week": (0, 53),
    "weekday": (0, 7),
}
"""Words of whole numbers that are places in a calendar, with their least and greatest value."""

GROUPING_WORDS = _set("""
type code level category class group tier grade kind division section floor generation stage
status season half round stint version edition zone shift term semester chapter gear bracket phase
""")
"""Words of numbers that say which group a row belongs to."""

CODE_LIKE = _set("""
phone telephone tel mobile fax zip zipcode postal postcode ssn isbn issn barcode sku ean upc
serial passport license licence iban
""")
"""Words of numbers that are names: nothing is calculated with them."""

PLACE_WORDS = _set("latitude longitude coordinate coordinates")

REFERENCE_WORDS = _set("""
advisor adviser manager supervisor secretary head coach teacher instructor parent boss chief
captain owner mentor major capital
""")
"""Last words of whole numbers that stand for a person or thing told apart by numbers."""

WORDS_OF_ANOTHER = _set("""
parent previous prior next manager supervisor mentor boss head super reports related original
prerequisite prereq child successor predecessor replaced referred duplicate root ancestor
""")
"""First words of references from a row to another row of the same table."""

UNIT_ENDINGS = _set("cm mm km kg lb lbs ft ms kmh mph mhz ghz kb mb gb usd eur pct")
"""Units at the end of a name that are no words of a sentence."""

NEVER_SUMMED = _set("""
age percent percentage pct rate ratio average mean median share temperature rank ranking position
place score rating index height weight altitude elevation depth speed velocity pressure humidity
density intensity magnitude price gpa grade maximum minimum highest lowest peak limit threshold
probability cumulative running balance odds efficiency factor frequency frequencies level fraction
proportion concentration expectancy acceleration accelerate horsepower mpg cylinders displacement
slope angle bearing direction heading brightness ph strength confidence coefficient
deviation variance standing standings capita ytd discount multiplier resolution
dewpoint visibility luminosity snr multiplicity quality completeness order sequence priority seed
tolerance stability reliability wind gust width accuracy precision resolution remaining power
humidity azimuth diameter radius thickness wavelength delta potential intelligence satisfaction
""")
"""Words of quantities whose values do not add up over rows."""

NEVER_SUMMED_AS_HEAD = _set("""
order place position grade score level index wind quality sequence priority seed share discount
""")
"""Those that only say so as the word that names the column: an order quantity adds up."""

RUNNING_TABLE_WORDS = _set("standing ranking rating")
"""Words of tables whose rows say how things stand at a moment."""

RUNNING_WORDS = _set("cumulative cumulated running ytd")
"""Words of figures that contain those of earlier rows."""

LEVEL_WORDS = _set("balance remaining outstanding")
"""Words of what there is at one moment, which a later moment's figure contains."""

TIMED_MEDIA = _set("film movie song video track clip episode recording")
"""Things whose length is a time."""

ADDED_UP = _set("""
amount total count quantity number sum salary wage revenue cost costs budget income expense
expenses payment payments paid profit loss sales sold votes attendance population goals points
runs hits wins losses games errors attempts shots assists rebounds enrollment employees passengers
fatalities injured killed deaths injuries tickets copies units hours minutes seconds days
duration distance length size seats seating tonnage stock capacity area visits downloads views
bytes milliseconds
gross fee fees tax taxes debt assets liabilities spent donated invested laps wickets medals
gold silver bronze bookings fine hours_worked balls overs turnout production output yield
earnings money requested raised worth volume students members acres
""")
"""Words of quantities whose values add up over rows."""

EXPOSURES = _set("""
games matches appearances hours minutes seconds days weeks months quantity distance attempts
seats laps tickets bats visits shots passengers employees students members copies units miles
votes ballots downloads views sessions trips orders starts innings outs employees population
enrollment duration milliseconds pages overs balls attendance area capacity
""")
"""Words of countable exposure: other measures are sensibly divided by these."""

EXPOSURE_PHRASES = ("air time", "at bats", "games played", "hours worked", "flight time")

FLAG_VALUES = frozenset({"y", "n", "t", "f", "yes", "no", "true", "false", "0", "1"})

NAMES_OF_PEOPLE = frozenset({"first name", "last name", "middle name", "full name", "user name"})

PROSE_WORDS = _set("""
address email phone fax telephone mobile website URL url password description comment comments
notes note details text summary biography street abstract image picture photo line remarks initial
initials extension
""")
"""Last words of texts that nobody groups by."""
