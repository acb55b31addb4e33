"""Goldens of rendering: reads `rendering_cases.yaml`; run as a module it writes the SQL anew."""

import json
from pathlib import Path

import yaml

from specbridge_pipeline.query_generation.plan import plan_from_json
from specbridge_pipeline.query_generation.rendering import render
from specbridge_pipeline_tests.query_generation.library_catalogue import LIBRARY
from specbridge_pipeline_tests.query_generation.shop_catalogue import SHOP

FILE = Path(__file__).with_suffix(".yaml")
CATALOGUES = {"shop": SHOP, "library": LIBRARY}


def read_cases():
    """Return the cases: a name, the catalogue, a plan, and its SQL."""
    listed = yaml.safe_load(FILE.read_text("utf-8"))
    return [
        (each["name"], CATALOGUES[each.get("on", "shop")], _plan(each), each["sql"])
        for each in listed
    ]


def _plan(case):
    return plan_from_json(json.dumps(case["plan"]))


class _Text(str):
    pass


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data):
        return True


_Dumper.add_representer(
    _Text, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|")
)


def _write():
    listed = yaml.safe_load(FILE.read_text("utf-8"))
    for each in listed:
        each["sql"] = _Text(render(_plan(each), CATALOGUES[each.get("on", "shop")]) + "\n")
    text = yaml.dump(listed, Dumper=_Dumper, sort_keys=False, width=98)
    FILE.write_text(text.replace("\n- name", "\n\n- name"), "utf-8")


if __name__ == "__main__":
    _write()
