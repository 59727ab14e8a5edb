"""Reads AutoTVM logs, version 0.2, by the description of the format and nothing of tinytune.

A line is a JSON object: `input` is [target, task, arguments, keyword arguments], `config` the point of
the task's space with its entities, `result` [costs in seconds, error number, seconds of the trial,
time stamp]. TVM turns lists among the arguments into tuples, entities into objects by their kind, and
takes the mean of the costs; a line it cannot turn is an error here.
"""
import json
import shlex
from dataclasses import dataclass

KINDS = {"sp": list, "re": list, "an": list, "ot": (int, float, str, bool, type(None))}
ERRORS = range(0, 9)  # NO_ERROR to UNKNOWN_ERROR


@dataclass
class Record:
    target: dict
    task: str
    arguments: tuple
    index: int
    entities: dict
    cost: float  # mean, in seconds
    error: int
    seconds: float
    timestamp: float


def as_tuples(value):
    return tuple(as_tuples(v) for v in value) if isinstance(value, list) else value


def target_of(text):
    words = shlex.split(text)
    options = dict(word.lstrip("-").split("=", 1) for word in words[1:])
    return {"kind": words[0], **options}


def check_tensor(argument):
    kind, shape, dtype = argument
    assert kind == "TENSOR" and isinstance(dtype, str), argument
    assert shape and all(isinstance(extent, int) and extent > 0 for extent in shape), argument


def read_line(line):
    row = json.loads(line)
    assert float(row["version"]) == 0.2, row["version"]
    assert isinstance(row["tvm_version"], str)
    target, task, arguments, keywords = row["input"]
    assert isinstance(task, str) and isinstance(keywords, dict)
    for argument in arguments:
        if isinstance(argument, list) and argument and argument[0] == "TENSOR":
            check_tensor(argument)
    config = row["config"]
    assert isinstance(config["index"], int) and config["index"] >= 0
    assert config["code_hash"] is None or isinstance(config["code_hash"], str)
    entities = {}
    for name, kind, value in config["entity"]:
        assert isinstance(value, KINDS[kind]), (name, kind, value)
        entities[str(name)] = value
    costs, error, seconds, timestamp = row["result"]
    assert costs and all(isinstance(cost, (int, float)) for cost in costs), costs
    assert error in ERRORS, error
    return Record(target_of(target), task, as_tuples(arguments), config["index"], entities,
                  sum(costs) / len(costs), error, float(seconds), float(timestamp))


def read(path):
    with open(path) as lines:
        return [read_line(line) for line in lines if line.strip()]
