"""Answers questions about recurrence rules and series with python-dateutil: a JSON object a line in, a JSON list a line out."""

import json
import signal
import sys
import warnings
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr

# Of CPU time, so that a busy machine does not make answers fewer.
SECONDS = 1

# Both COUNT and an end: the end is only where the looking stops.
warnings.simplefilter("ignore")


class Late(Exception):
    pass


def late(*_):
    raise Late("no answer in time")


def answer(question):
    return busy_hours(question) if "standIns" in question else instants(question)


def readings(rule, start, first, last):
    """What the clock shows whenever a rule comes true."""
    rule = rrulestr(rule, dtstart=start)
    rule = rule.replace(until=min(last, rule._until or last))
    return [wall for wall in rule if wall >= first]


def instants(question):
    first, last, start = (datetime.fromisoformat(question[name]) for name in ("from", "to", "start"))
    zone = ZoneInfo(question["zone"])
    walls = readings(question["rule"], start, first, last)
    return [wall.replace(tzinfo=zone).astimezone(timezone.utc).strftime("%Y%m%dT%H%M%SZ") for wall in walls]


class Time:
    """A time as a calendar writes it. `floating` is the zone of one that is written without any."""

    def __init__(self, written, floating):
        self.is_utc = written["form"] == "utc"
        self.is_date = written["form"] == "date"
        self.wall = datetime.fromisoformat(written["reads"])
        if self.is_date:
            self.wall = midnight(self.wall)
        self.zone = {"utc": "UTC", "zone": written["zone"]}.get(written["form"], floating)

    def instant(self):
        return instant(self.wall, self.zone)

    def on_clock(self, zone):
        same = self.is_date or self.zone == zone
        return self.wall if same else self.instant().astimezone(ZoneInfo(zone)).replace(tzinfo=None)


def instant(wall, zone):
    return wall.replace(tzinfo=ZoneInfo(zone)).astimezone(timezone.utc)


def midnight(wall):
    return wall.replace(hour=0, minute=0, second=0)


def busy_hours(question):
    space = question["space"]
    start = Time(question["series"]["start"], space)
    stand_ins = question["standIns"]
    excepted = [Time(one, start.zone) for one in question["exceptions"]]
    excepted += [Time(one["replaces"], start.zone) for one in stand_ins]
    changes = [one for one in stand_ins if one["andFollowing"]]
    changes.sort(key=lambda one: named(Time(one["replaces"], start.zone), start))
    busy = Busy(space)
    for one in stand_ins:
        if not one["cancelled"]:
            own = Time(one["start"], space)
            busy.add(own.wall, own.zone, own.is_date, one["lasts"])

    # What begins before or after may reach, or be moved, into what counts.
    first = datetime.fromisoformat(question["from"]) - timedelta(days=8)
    last = datetime.fromisoformat(question["to"]) + timedelta(days=8)
    walls = readings(question["rule"], start.wall, first, last)
    for wall in {start.wall, *walls}:
        if any(is_meant(one, wall, start) for one in excepted):
            continue
        change = None
        for one in changes:
            if named(Time(one["replaces"], start.zone), start) <= wall:
                change = one
        if change is None:
            busy.add(wall, start.zone, start.is_date, question["series"]["lasts"])
        elif not change["cancelled"]:
            add_changed(busy, wall, change, start, space)
    return sorted(hour for hour in busy.hours if question["from"] <= hour[:10] <= question["to"])


def add_changed(busy, wall, change, start, space):
    """All that follow move as the first one did, on the clock of the series."""
    before = named(Time(change["replaces"], start.zone), start)
    after = Time(change["start"], space)
    if after.is_date:
        moved = midnight(wall) + (after.wall - midnight(before))
        busy.add(moved, space, True, change["lasts"])
    else:
        busy.add(wall + (after.on_clock(start.zone) - before), start.zone, False, change["lasts"])


def named(one, series):
    """The occurrence that is named, on the clock of the series."""
    if series.is_date:
        # Midnight in UTC is perhaps another date at the space; a midnight elsewhere is the date as it is written.
        return midnight(one.on_clock(series.zone) if one.is_utc else one.wall)
    if one.is_date:
        return datetime.combine(one.wall.date(), series.wall.time())
    return one.on_clock(series.zone)


def is_meant(one, wall, series):
    if one.is_date or series.is_date:
        return named(one, series).date() == wall.date()
    return one.instant() == instant(wall, series.zone)


class Busy:
    """The hours that the clock of a space shows while something goes on."""

    def __init__(self, space):
        self.space = ZoneInfo(space)
        self.hours = set()

    def add(self, wall, zone, is_date, lasts):
        at = instant(wall, zone)
        end = instant(wall + timedelta(days=lasts), zone) if is_date else at + timedelta(minutes=lasts)
        while at < end:
            self.hours.add(at.astimezone(self.space).strftime("%Y-%m-%d %H"))
            # Every zone's hours begin on a quarter of an hour of UTC.
            at = at.replace(minute=at.minute // 15 * 15, second=0) + timedelta(minutes=15)


signal.signal(signal.SIGPROF, late)
for line in sys.stdin:
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        said = answer(json.loads(line))
    except Exception as error:
        said = {"refused": str(error)}
    signal.setitimer(signal.ITIMER_PROF, 0)
    print(json.dumps(said), flush=True)
