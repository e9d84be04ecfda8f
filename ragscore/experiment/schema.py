"""experiment_schema: the JSON Schema by which editors complete and check experiment files."""

from __future__ import annotations

from typing import Any

from ragscore.experiment.config.placed_data import EXTENSION
from ragscore.experiment.model import Experiment
from ragscore.file_names import NAME_PATTERN
from ragscore.records import DIALECT
from ragscore.retrievers import RETRIEVERS


def experiment_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of an experiment file, with a description of every option.

    An editor with the YAML language server uses it if the first line of the file is
    ``# yaml-language-server: $schema=ragscore.schema.json``.

    >>> experiment_schema()["properties"]["depth"]["description"]
    'How many passages each retriever records per query; every cutoff up to it is free.'
    """
    schema = Experiment.model_json_schema(mode="validation")
    _require_kinds(schema.get("$defs", {}))
    properties = schema["properties"]
    several = properties.pop("datasets")
    dataset = {
        "description": "The dataset to search and judge: a folder, or a folder with options.",
        **several["items"],
    }
    del properties["name"]["default"]  # a file's own name is
    properties["name"]["pattern"] = f"^{NAME_PATTERN}$"
    properties["defaults"] |= _defaults(schema["$defs"])
    properties["retrievers"]["propertyNames"] = {"pattern": f"^{NAME_PATTERN}$"}
    properties["sweep"]["anyOf"] = [
        option if "const" not in option else {"const": False}
        for option in properties["sweep"]["anyOf"]
    ]
    for switched in ("latency", "compare", "tune", "report"):
        options = properties[switched]["anyOf"]
        described = [option for option in options if "const" not in option]
        properties[switched]["anyOf"] = [*described, {"type": "boolean"}]
    schema["properties"] = {
        "name": properties.pop("name"),
        "description": properties.pop("description"),
        "dataset": dataset,
        "datasets": several,
        **properties,
    }
    schema["required"] = [key for key in schema["required"] if key != "datasets"]
    schema["patternProperties"] = {
        f"^{EXTENSION}": {"description": "Not read: a place for anchors (`x-base: &base {...}`)."}
    }
    schema["oneOf"] = [{"required": ["dataset"]}, {"required": ["datasets"]}]
    schema["title"] = "ragscore experiment"
    schema["description"] = "An experiment: datasets x retrievers x measures."
    return {"$schema": DIALECT, **schema}


def _defaults(definitions: dict[str, Any]) -> dict[str, Any]:
    """The options of each kind of retriever, none of them required."""
    by_kind: dict[str, Any] = {
        kind: {"type": "object"} for kind in RETRIEVERS.names() if kind not in RETRIEVERS.own
    }
    for kind in RETRIEVERS.own:
        name = RETRIEVERS[kind].__name__
        options = [key for key in definitions[name]["properties"] if key != "kind"]
        properties = {key: {"$ref": f"#/$defs/{name}/properties/{key}"} for key in options}
        by_kind[kind] = {"properties": properties, "type": "object", "additionalProperties": False}
        # What a retriever needs may be among the defaults of its kind.
        definitions[name]["required"] = ["kind"]
    return {"type": "object", "properties": by_kind, "additionalProperties": False}


def _require_kinds(definitions: dict[str, Any]) -> None:
    """``kind`` tells the alternatives apart, so a file must give it though Python need not."""
    for definition in definitions.values():
        for kind in (definition, *definition.get("anyOf", ())):
            if "const" in kind.get("properties", {}).get("kind", {}):
                kind["required"] = sorted({*kind.get("required", ()), "kind"})
