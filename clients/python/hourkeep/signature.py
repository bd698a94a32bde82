from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import secrets
import time
from datetime import datetime
from typing import Any, Dict, Iterable, Mapping, Optional, Tuple, Union, cast

from .document import WebhookEvent
from .error import HourkeepError

Payload = Union[str, bytes, bytearray, memoryview]
Headers = Union[Mapping[str, Any], Iterable[Tuple[Any, Any]]]


def verify_webhook(
    *, payload: Payload, headers: Headers, secret: str, tolerance_seconds: float = 300
) -> WebhookEvent:
    """The event of a delivery whose signature is right (Standard Webhooks: HMAC-SHA256 of `id.timestamp.body`).

    `payload` is the body exactly as it came; `headers` a mapping with names in any case, or pairs; `secret` the `whsec_…` of the
    subscription. Raises HourkeepError with INVALID_SIGNATURE when the delivery cannot be trusted.
    """
    body = _bytes_of(payload)
    key = _key_of(secret)
    id = _header_of(headers, "webhook-id")
    timestamp = _header_of(headers, "webhook-timestamp")
    signatures = _header_of(headers, "webhook-signature")
    try:
        age = abs(time.time() - float(timestamp))
    except ValueError:
        age = float("nan")
    # Written so that what is not a number is refused too.
    if not age <= tolerance_seconds:
        raise _distrust("it is too old, or from the future")
    right = _mac(key, id, timestamp, body)
    for signature in signatures.split(" "):
        given = _from_base64(signature[3:]) if signature.startswith("v1,") else None
        # After a rotation there are two: one that fits is enough.
        if given is not None and hmac.compare_digest(given, right):
            return cast(WebhookEvent, json.loads(body))
    raise _distrust("its signature does not match")


def sign_webhook(
    *,
    payload: Payload,
    secret: str,
    id: Optional[str] = None,
    timestamp: Union[float, datetime, None] = None,
) -> Dict[str, str]:
    """The headers that the service would send with a delivery: for tests of your own receiver."""
    at = timestamp.timestamp() if isinstance(timestamp, datetime) else timestamp
    seconds = str(int(time.time() if at is None else at))
    webhook_id = f"test_{secrets.token_hex(8)}" if id is None else id
    mac = _mac(_key_of(secret), webhook_id, seconds, _bytes_of(payload))
    return {
        "webhook-id": webhook_id,
        "webhook-timestamp": seconds,
        "webhook-signature": f"v1,{base64.b64encode(mac).decode()}",
    }


def _mac(key: bytes, id: str, timestamp: str, body: bytes) -> bytes:
    return hmac.new(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()


def _bytes_of(payload: object) -> bytes:
    if isinstance(payload, str):
        return payload.encode()
    if isinstance(payload, (bytes, bytearray, memoryview)):
        return bytes(payload)
    raise TypeError("payload must be the raw body of the request, not what was parsed from it")


def _key_of(secret: object) -> bytes:
    text = secret if isinstance(secret, str) else ""
    key = _from_base64(text[6:] if text.startswith("whsec_") else text)
    if not key:
        raise ValueError("secret must be the whsec_… of the subscription")
    return key


def _header_of(headers: Headers, name: str) -> str:
    for key, value in headers.items() if hasattr(headers, "items") else headers:
        if _text(key).lower() == name and value:
            values = [value] if isinstance(value, (str, bytes)) else value
            return " ".join(map(_text, values))
    raise _distrust(f"the header {name} is missing")


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _from_base64(text: str) -> Optional[bytes]:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _distrust(why: str) -> HourkeepError:
    return HourkeepError("INVALID_SIGNATURE", f"This delivery cannot be trusted: {why}")
