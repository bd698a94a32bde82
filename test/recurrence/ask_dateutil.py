"""Answers questions about recurrence rules with python-dateutil: a JSON object a line in, a JSON list a line out."""

import json
import signal
import sys
import warnings
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr

SECONDS = 1

# Both COUNT and an end: the end is only where the looking stops.
warnings.simplefilter("ignore")


class Late(Exception):
    pass


def late(*_):
    raise Late("no answer in time")


def answer(question):
    rule = rrulestr(question["rule"], dtstart=datetime.fromisoformat(question["start"]))
    first = datetime.fromisoformat(question["from"])
    last = datetime.fromisoformat(question["to"])
    rule = rule.replace(until=min(last, rule._until or last))
    zone = ZoneInfo(question["zone"])
    walls = [wall for wall in rule if wall >= first]
    return [wall.replace(tzinfo=zone).astimezone(timezone.utc).strftime("%Y%m%dT%H%M%SZ") for wall in walls]


signal.signal(signal.SIGALRM, late)
for line in sys.stdin:
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        said = answer(json.loads(line))
    except Exception as error:
        said = {"refused": str(error)}
    signal.setitimer(signal.ITIMER_REAL, 0)
    print(json.dumps(said), flush=True)
