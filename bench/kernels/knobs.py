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
    """Markdown: tasks where a trait was tried, tasks it wins, and what its absence would cost."""
    tried, won, losses = collections.Counter(), collections.Counter(), collections.defaultdict(list)
    for schedules in best_by_task(logs).values():
        best = min(schedules, key=schedules.get)
        seen = set().union(*map(traits, schedules))
        for trait in seen:
            tried[trait] += 1
            if trait not in traits(best):
                continue
            won[trait] += 1
            others = [c for s, c in schedules.items() if trait not in traits(s)]
            if others:
                losses[trait].append(min(others) / schedules[best] - 1)
    yield "| technique | tasks that tried it | won | cycles without it, median | most |"
    yield "|---|--:|--:|--:|--:|"
    for trait in sorted(tried, key=lambda t: (-won[t], t)):
        lost = sorted(losses[trait])
        cells = [f"{lost[len(lost) // 2]:+.0%}", f"{lost[-1]:+.0%}"] if lost else ["–", "–"]
        yield f"| {trait} | {tried[trait]} | {won[trait]} | {cells[0]} | {cells[1]} |"
