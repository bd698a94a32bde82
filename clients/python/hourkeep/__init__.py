"""Client of the Hourkeep Host Integration API. The records that it answers with are in `hourkeep.document`."""

from .client import Hourkeep
from .error import ErrorCode, HourkeepError
from .signature import sign_webhook, verify_webhook
from .transport import AnswerSeen
from .version import VERSION as __version__

__all__ = [
    "AnswerSeen",
    "ErrorCode",
    "Hourkeep",
    "HourkeepError",
    "__version__",
    "sign_webhook",
    "verify_webhook",
]
