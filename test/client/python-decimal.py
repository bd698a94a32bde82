"""Reads months through the client with `decimal=True` and adds everything up again. Prints what it has read."""

import json
import os
import sys
from decimal import Decimal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "clients/python"))

from hourkeep import Hourkeep  # noqa: E402

hk = Hourkeep(api_key=os.environ["HOURKEEP_API_KEY"], base_url=os.environ["HOURKEEP_URL"], decimal=True)

carried = Decimal(0)
for month in sys.argv[1:]:
    report = hk.settlement.report(month)
    totals, lines = report["totals"], report["lines"]
    adjustments, payouts = report["adjustments"], report["payouts"]
    sums = {name: sum((line[name] for line in lines), Decimal(0)) for name in ("gross", "commission", "net")}
    paid = [line["net"] for line in lines if line["payment_status"] == "confirmed"]
    owed = [line["commission"] for line in lines if line["settlement_mode"] == "host_settled"]
    adjusted = sum((each["payout_due"] - each["commission_due"] for each in adjustments), Decimal(0))
    paid_out = sum((each["amount"] for each in payouts), Decimal(0))
    amounts = [value for name, value in totals.items() if name not in ("bookings", "cancelled", "hours")]
    amounts += [report["opening_balance"], report["closing_balance"], *(line["commission_rate"] for line in lines)]

    assert all(type(amount) is Decimal for amount in amounts), amounts
    assert type(totals["bookings"]) is int and type(totals["hours"]) is int
    assert all(sums[name] == totals[name] for name in sums), (sums, totals)
    assert all(line["gross"] - line["commission"] == line["net"] for line in lines)
    for group in ("by_space", "by_settlement_mode"):
        assert all(sum((part[name] for part in report[group]), Decimal(0)) == totals[name] for name in sums)
    assert totals["balance"] == sum(paid, Decimal(0)) - sum(owed, Decimal(0)) + adjusted
    assert report["opening_balance"] == carried
    assert report["closing_balance"] == carried + totals["balance"] - paid_out
    carried = report["closing_balance"]
    print(json.dumps([month, str(carried)]))

# What was read can be sent, and whole amounts are Decimal too.
space = hk.spaces.list()[0]
price = space["price_per_hour"]
assert type(price) is Decimal and type(space["operating_hours"]["start_hour"]) is int, space
assert hk.spaces.update(space["id"], price=price * 2)["price_per_hour"] == price * 2
assert type(hk.spaces.update(space["id"], price=Decimal("30.0"))["price_per_hour"]) is Decimal
