"""Which template, layout and setting wins which task, from tuning logs."""
import collections
import json


def best_by_task(logs):
    """{(device, workload): {schedule: cycles}} of every valid record."""
    tasks = collections.defaultdict(dict)
    for log in logs:
        with open(log) as lines:
            for line in lines:
                record = json.loads(line)
                if record["outcome"] == "ok":
                    cycles = sorted(record["cycles"])[len(record["cycles"]) // 2]
                    tasks[record["device"], record["workload"]][record["schedule"]] = cycles
    return tasks


def traits(schedule):
    """The template, and the settings that are words: sizes of tiles are no technique."""
    template, *knobs = schedule.split()
    found = {"template " + template.split("/")[0]}
    for knob in knobs:
        name, value = knob.split("=")
        if not value.lstrip("-").isdigit():
            found.add(f"{name}={value}")
    return found


def table(logs):
    """Markdown: tasks where a trait met an alternative, those it wins outright, and what it saves."""
    met, won, losses = collections.Counter(), collections.Counter(), collections.defaultdict(list)
    for schedules in best_by_task(logs).values():
        best = min(schedules.values())
        for trait in set().union(*map(traits, schedules)):
            others = [c for s, c in schedules.items() if trait not in traits(s)]
            if not others:
                continue  # nothing else was possible, or tried
            met[trait] += 1
            if min(others) > best:  # a tie is no win
                won[trait] += 1
                losses[trait].append(min(others) / best - 1)
    yield "| technique | tasks with an alternative | won | cycles without it, median | most |"
    yield "|---|--:|--:|--:|--:|"
    for trait in sorted(met, key=lambda t: (-won[t], t)):
        lost = sorted(losses[trait])
        cells = [f"{lost[len(lost) // 2]:+.0%}", f"{lost[-1]:+.0%}"] if lost else ["–", "–"]
        yield f"| {trait} | {met[trait]} | {won[trait]} | {cells[0]} | {cells[1]} |"
