"""A Gemini API on loopback that speaks the captured wire, and refuses what the real one refuses.

Its refusals follow ``generativelanguage.googleapis.com`` as it answered in 2026.
"""

import hashlib
import json
import re
import secrets
from dataclasses import dataclass
from typing import Any, cast

from tests.fakes.web.servers import FakeServer, Request, Response

MODELS = ("gemini-3.8-flash", "gemini-3.7-flash")
MIME_TYPES = frozenset(
    f"video/{kind}" for kind in ("mp4", "mpeg", "quicktime", "avi", "x-flv", "mpg", "webm", "wmv", "3gpp")
)
KEY = "AIzaTestKeyOfNoAccount0123456789"
EMPTY_REPLY: dict[str, object] = {"first_screen": [], "events": [], "verdicts": []}
_TYPES = {"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT"}
_SCHEMA_KEYS = {"type", "title", "description", "nullable", "enum", "items", "properties", "required"} | {
    "propertyOrdering",
    "anyOf",
    "format",
    "default",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
}
_GRANULE = 256 * 1024


def error(code: int, status: str, message: str, *details: dict[str, object]) -> Response:
    """Google's error body."""
    inner: dict[str, object] = {"code": code, "message": message, "status": status}
    if details:
        inner["details"] = list(details)
    return Response(code, {"error": inner})


def bad_key() -> Response:
    info: dict[str, object] = {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "API_KEY_INVALID",
        "domain": "googleapis.com",
        "metadata": {"service": "generativelanguage.googleapis.com"},
    }
    return error(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", info)


def no_key() -> Response:
    text = (
        "Method doesn't allow unregistered callers (callers without established identity). "
        "Please use API Key or other form of API consumer identity to call this API."
    )
    return error(403, "PERMISSION_DENIED", text)


def exhausted(
    *, quota: str = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier", delay: str | None = "58s"
) -> Response:
    """429 with Google's details; ``delay`` is the RetryInfo, which can be absent."""
    text = (
        "You exceeded your current quota, please check your plan and billing details. For more information on this "
        "error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.\n* Quota exceeded for metric: "
        "generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 20, model: gemini-3.8-flash"
    )
    violation: dict[str, object] = {
        "quotaMetric": "generate_content_free_tier_requests",
        "quotaId": quota,
        "quotaValue": "20",
    }
    details: list[dict[str, object]] = [
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]}
    ]
    if delay:
        details.append({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay})
    return error(429, "RESOURCE_EXHAUSTED", text, *details)


def overloaded() -> Response:
    return error(503, "UNAVAILABLE", "The model is overloaded. Please try again later.")


def says(reply: object, *, finish: str = "STOP", thoughts: str | None = None) -> Response:
    """A generateContent answer with one candidate."""
    text = reply if isinstance(reply, str) else json.dumps(reply)
    thought: dict[str, object] = {"text": thoughts, "thought": True}
    spoken: dict[str, object] = {"text": text}
    parts = [*([thought] if thoughts else []), *([spoken] if text else [])]
    candidate: dict[str, object] = {"content": {"role": "model", "parts": parts}, "finishReason": finish, "index": 0}
    usage = {
        "promptTokenCount": 10,
        "candidatesTokenCount": 5,
        "totalTokenCount": 15,
        "promptTokensDetails": [{"modality": "VIDEO", "tokenCount": 8}, {"modality": "TEXT", "tokenCount": 2}],
    }
    return Response(200, {"candidates": [candidate], "usageMetadata": usage, "responseId": "r1"})


def blocked(reason: str = "PROHIBITED_CONTENT") -> Response:
    return Response(200, {"promptFeedback": {"blockReason": reason}, "usageMetadata": {"promptTokenCount": 10}})


class Refused(Exception):
    """Thrown while a request is checked; carries the answer."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


@dataclass
class StoredFile:
    """One file of the Files API."""

    name: str
    mime_type: str
    size: int
    content: bytes = b""
    polls_left: int = 0
    fails: bool = False

    @property
    def state(self) -> str:
        return "PROCESSING" if self.polls_left > 0 else "FAILED" if self.fails else "ACTIVE"


class FakeGemini(FakeServer):
    """The API with one valid key.

    ``scripts`` holds answers to be given instead of the own ones, by route: ``start``, ``chunk``, ``get``,
    ``generate``, ``delete``; ``None`` stands for «as usual». ``reply`` is what the model says when nothing is scripted.
    """

    def __init__(self, *, polls: int = 1, processing_fails: bool = False) -> None:
        super().__init__()
        self.reply: object = EMPTY_REPLY
        self.scripts: dict[str, list[Response | None]] = {}
        self.files: dict[str, StoredFile] = {}
        self.deleted: list[str] = []
        self.uploads: dict[str, StoredFile] = {}
        self.lose_final_answer = False
        """Whether the connection drops once after a file has arrived."""
        self.keep_deleted = False
        """Whether files are kept for a look after their deletion was confirmed."""
        self._polls = polls
        self._fails = processing_fails

    def count(self, route: str) -> int:
        """How many requests of a route came in."""
        return sum(_route(request) == route for request in self.requests)

    def asked(self, number: int = -1) -> dict[str, Any]:
        """The body of a generateContent request, with its keys in camelCase."""
        bodies = [request.json for request in self.requests if _route(request) == "generate"]
        return cast("dict[str, Any]", camel(bodies[number]))

    def answer(self, request: Request) -> Response:
        route = _route(request)
        script = self.scripts.get(route)
        scripted = script.pop(0) if script else None
        if scripted is not None:
            return scripted
        routes = {
            "start": self._start,
            "chunk": self._chunk,
            "get": self._get,
            "delete": self._delete,
            "generate": self._generate,
        }
        try:
            if route != "chunk":
                _check_key(request)
            if route in routes:
                return routes[route](request)
        except Refused as refused:
            return refused.response
        return error(404, "NOT_FOUND", "Requested entity was not found.")

    def _start(self, request: Request) -> Response:
        headers = request.headers
        reported = cast("dict[str, Any]", camel(request.json)).get("file", {})
        kind = headers.get("x-goog-upload-header-content-type", "")
        if headers.get("x-goog-upload-protocol") != "resumable" or kind not in MIME_TYPES:
            raise Refused(error(400, "INVALID_ARGUMENT", f"Unsupported MIME type: {kind}"))
        name = str(reported.get("name") or f"files/{secrets.token_hex(6)}")
        if not re.fullmatch(r"files/[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?", name):
            raise Refused(error(400, "INVALID_ARGUMENT", "* CreateFileRequest.file.name: invalid file ID"))
        if name in self.files:
            raise Refused(error(409, "ALREADY_EXISTS", "Requested entity already exists"))
        size = int(headers["x-goog-upload-header-content-length"])
        ticket = secrets.token_hex(8)
        self.uploads[ticket] = StoredFile(name, kind, size, polls_left=self._polls, fails=self._fails)
        url = f"{self.url}{request.path}?upload_id={ticket}&upload_protocol=resumable"
        return Response(
            headers={
                "x-goog-upload-url": url,
                "x-goog-upload-control-url": url,
                "x-goog-upload-status": "active",
                "x-goog-upload-chunk-granularity": str(_GRANULE),
            }
        )

    def _chunk(self, request: Request) -> Response:
        upload = self.uploads.get(request.query["upload_id"])
        commands = {word.strip() for word in request.headers["x-goog-upload-command"].split(",")}
        if upload is None or "upload" not in commands:
            raise Refused(error(404, "NOT_FOUND", "Upload was not found."))
        last = "finalize" in commands
        if int(request.headers["x-goog-upload-offset"]) != len(upload.content):
            raise Refused(error(400, "INVALID_ARGUMENT", "The upload offset is not the number of bytes received."))
        if not last and len(request.body) % _GRANULE:
            raise Refused(error(400, "INVALID_ARGUMENT", "Chunks must be multiples of the granularity."))
        upload.content += request.body
        if not last:
            return Response(headers={"x-goog-upload-status": "active"})
        if len(upload.content) != upload.size:
            raise Refused(error(400, "INVALID_ARGUMENT", "The upload is not of the size that was announced."))
        if upload.name in self.files:
            raise Refused(error(409, "ALREADY_EXISTS", "Requested entity already exists"))
        self.files[upload.name] = upload
        del self.uploads[request.query["upload_id"]]
        if self.lose_final_answer:
            self.lose_final_answer = False
            return Response(drop=True)
        return Response(200, {"file": self._shown(upload)}, headers={"x-goog-upload-status": "final"})

    def _shown(self, file: StoredFile) -> dict[str, object]:
        shown: dict[str, object] = {
            "name": file.name,
            "mimeType": file.mime_type,
            "sizeBytes": str(file.size),
            "createTime": "2026-11-20T10:00:00.000000Z",
            "updateTime": "2026-11-20T10:00:00.000000Z",
            "expirationTime": "2026-11-22T10:00:00.000000Z",
            "sha256Hash": hashlib.sha256(file.content).hexdigest(),
            "uri": f"https://generativelanguage.googleapis.com/v1beta/{file.name}",
            "state": file.state,
            "source": "UPLOADED",
        }
        if file.state == "FAILED":
            shown["error"] = {"code": 3, "message": "The video could not be decoded.", "details": []}
        if file.state == "ACTIVE":
            shown["videoMetadata"] = {"videoDuration": "10s"}
        return shown

    def _file(self, name: str) -> StoredFile:
        if name not in self.files:
            text = f"You do not have permission to access the File {name} or it may not exist."
            raise Refused(error(403, "PERMISSION_DENIED", text))
        return self.files[name]

    def _get(self, request: Request) -> Response:
        file = self._file(request.path.split("/", 2)[2])
        file.polls_left -= 1
        return Response(200, self._shown(file))

    def _delete(self, request: Request) -> Response:
        name = self._file(request.path.split("/", 2)[2]).name
        if not self.keep_deleted:
            del self.files[name]
        self.deleted.append(name)
        return Response(200, {})

    def _generate(self, request: Request) -> Response:
        model = request.path.rsplit("/", 1)[1].removesuffix(":generateContent")
        if model not in MODELS:
            text = f"models/{model} is not found for API version v1beta, or is not supported for generateContent."
            raise Refused(error(404, "NOT_FOUND", text))
        body = cast("dict[str, Any]", camel(request.json))
        unknown = set(body) - {
            "contents",
            "systemInstruction",
            "generationConfig",
            "safetySettings",
            "tools",
            "continuationToken",
        }
        if unknown:
            _invalid(f'Invalid JSON payload received. Unknown name "{min(unknown)}": Cannot find field.')
        if not body.get("contents"):
            _invalid("* GenerateContentRequest.contents: contents is not specified")
        for content in body["contents"]:
            if content.get("role") not in {"user", "model"}:
                _invalid("Please use a valid role: user, model.")
            for part in content["parts"]:
                self._check_part(part)
        _check_generation(body.get("generationConfig", {}))
        return says(self.reply)

    def _check_part(self, part: dict[str, Any]) -> None:
        if len({"text", "fileData", "inlineData"} & part.keys()) != 1:
            _invalid("* contents.parts: required oneof field 'data' must have one initialized field")
        if "fps" in part.get("videoMetadata", {}) and not 0 < part["videoMetadata"]["fps"] <= 24:
            _invalid("* videoMetadata.fps: must be in the range (0, 24]")
        if "fileData" in part:
            name = "files/" + part["fileData"]["fileUri"].rsplit("/", 1)[1]
            file = self._file(name)
            if file.state != "ACTIVE":
                text = f"The File {name} is not in an ACTIVE state and usage is not allowed."
                raise Refused(error(400, "FAILED_PRECONDITION", text))
            if part["fileData"]["mimeType"] != file.mime_type:
                _invalid("The MIME type of the part is not the file's.")


def camel(value: object) -> object:
    """JSON with snake_case keys in camelCase: the SDK mixes both, and the real server takes both.

    The names of a schema's properties are data, and stay.
    """
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {
            re.sub(r"_([a-z])", lambda m: m.group(1).upper(), key): {name: camel(one) for name, one in inner.items()}
            if key == "properties"
            else camel(inner)
            for key, inner in items
        }
    if isinstance(value, list):
        return [camel(inner) for inner in cast("list[object]", value)]
    return value


def _route(request: Request) -> str:
    path = re.sub(r"^(/upload)?/v1(?:beta|alpha)?/", r"\1/", request.path)
    if path == "/upload/files":
        return "start" if request.headers.get("x-goog-upload-command") == "start" else "chunk"
    if path.startswith("/files/"):
        return {"GET": "get", "DELETE": "delete"}.get(request.method, "unknown")
    return "generate" if path.endswith(":generateContent") else "unknown"


def _check_key(request: Request) -> None:
    key = request.headers.get("x-goog-api-key")
    if not key:
        raise Refused(no_key())
    if key != KEY:
        raise Refused(bad_key())


def _invalid(message: str) -> None:
    raise Refused(error(400, "INVALID_ARGUMENT", message))


def _check_generation(config: dict[str, Any]) -> None:
    if config.get("mediaResolution", "MEDIA_RESOLUTION_LOW") not in {
        f"MEDIA_RESOLUTION_{level}" for level in ("LOW", "MEDIUM", "HIGH")
    }:
        _invalid("Invalid value at 'generation_config.media_resolution'")
    schema = config.get("responseSchema")
    if schema is None:
        return
    if config.get("responseMimeType") != "application/json":
        _invalid("Response schema is only supported with a JSON response MIME type.")
    _check_schema(schema, "response_schema")


def _check_schema(schema: dict[str, Any], where: str) -> None:
    unknown = set(schema) - _SCHEMA_KEYS
    if unknown:
        _invalid(f'Invalid JSON payload received. Unknown name "{min(unknown)}" at {where}: Cannot find field.')
    if "anyOf" not in schema and schema.get("type") not in _TYPES:
        _invalid(f"Invalid value at {where}.type")
    if schema.get("type") == "ARRAY":
        if "items" not in schema:
            _invalid(f"* {where}.items: missing field.")
        _check_schema(schema["items"], f"{where}.items")
    if schema.get("type") == "OBJECT":
        properties = schema.get("properties", {})
        if not properties:
            _invalid(f"* {where}.properties: should be non-empty for OBJECT type")
        if not set(schema.get("required", [])) <= set(properties):
            _invalid(f"* {where}.required: property is not defined")
        for name, inner in properties.items():
            _check_schema(inner, f"{where}.{name}")
