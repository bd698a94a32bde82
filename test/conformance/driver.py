"""The Python client, driven: a JSON object a line in, a JSON object a line out. client-process.ts says what they are."""

import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "clients/python"))

from hourkeep import Hourkeep, HourkeepError, sign_webhook, verify_webhook  # noqa: E402

opened = {}
lock = threading.Lock()


def open_client(options):
    name = json.dumps(options)
    with lock:
        if name not in opened:
            seen = []

            def on_response(answer):
                facts = {"method": answer.method, "path": answer.path, "status": answer.status}
                content_type = answer.headers.get("Content-Type")
                seen.append({**facts, "attempt": answer.attempt, "type": content_type, "took": answer.duration >= 0})
                if options.get("throws"):
                    raise RuntimeError("not my business")

            names = {
                "apiKey": "api_key",
                "baseUrl": "base_url",
                "maxRetries": "max_retries",
                "timeout": "timeout",
                "maxWait": "max_wait",
            }
            given = {names[key]: value for key, value in options.items() if key in names}
            opened[name] = (Hourkeep(on_response=on_response, **given), seen)
        return opened[name]


def value_of(options, name, *args):
    if name == "verifyWebhook":
        given = dict(args[0])
        if "toleranceSeconds" in given:
            given["tolerance_seconds"] = given.pop("toleranceSeconds")
        return verify_webhook(**given)
    if name == "signWebhook":
        return sign_webhook(**args[0])
    hk, seen = open_client(options)
    if name == "seen":
        return seen
    if name == "bookings.changes":
        pages = []
        since = hk.bookings.changes(args[0], pages.append)
        return {"since": since, "pages": pages}
    part, method = name.split(".")
    fields = {}
    if args and isinstance(args[-1], dict):
        *args, fields = args
    value = getattr(getattr(hk, part), method)(*args, **fields)
    return list(value) if method == "iterate" else value


def result_of(options, call):
    try:
        return {"value": value_of(options, *call)}
    except HourkeepError as error:
        return {
            "error": {
                "code": error.code,
                "status": error.status,
                "message": error.message,
                "requestId": error.request_id,
                "details": error.details,
                "retryAfter": error.retry_after,
                "outcome": error.outcome,
            }
        }
    except Exception as error:
        return {"mistake": repr(error)}


for line in sys.stdin:
    asked = json.loads(line)
    with ThreadPoolExecutor(len(asked["calls"])) as together:
        results = list(together.map(lambda call: result_of(asked["options"], call), asked["calls"]))
    print(json.dumps(results), flush=True)
