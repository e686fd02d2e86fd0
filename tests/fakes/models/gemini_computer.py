"""Gemini's computer tool on loopback: it checks a conversation as the real one does, and looks at the screenshot."""

import base64
import binascii
import hashlib
import io
import re
from collections.abc import Callable
from typing import Any, Literal, cast

from PIL import Image

from tests.fakes.models.gemini import KEY, bad_key, error, no_key
from tests.fakes.models.seeing_model import Call, next_call, read_question
from tests.fakes.web.servers import FakeServer, Request, Response

MODEL = "gemini-3.8-flash"
Spelling = Literal["new", "reference", "legacy"]
SPELLINGS: tuple[Spelling, ...] = ("new", "reference", "legacy")
MODELS: dict[Spelling, str] = {"new": MODEL, "reference": MODEL, "legacy": "gemini-3-flash-preview"}
MOST_PICTURES = 3
_ROUTE = re.compile(r"/v1(?:beta|alpha)?/models/([\w.\-]+):generateContent")
_OURS = {"done", "ask", "extract", "open_app", "open_url"}


def calls(
    *spoken: tuple[str, dict[str, Any]], thought: str = "Let me look.", text: str = "", first: int = 0
) -> Response:
    """A turn that calls functions; each call's signature has to come back with it."""
    parts: list[dict[str, Any]] = [{"text": thought, "thought": True}, *([{"text": text}] if text else [])]
    for number, (name, args) in enumerate(spoken, start=first):
        signature = base64.b64encode(hashlib.sha256(f"{number}{name}{args}".encode()).digest()).decode()
        parts.append(
            {"functionCall": {"id": f"fc_{number}", "name": name, "args": args}, "thoughtSignature": signature}
        )
    return turn(parts)


def turn(parts: list[dict[str, Any]] | None, *, finish: str = "STOP", **more: object) -> Response:
    """An answer with one candidate."""
    content = {} if parts is None else {"content": {"role": "model", "parts": parts}}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "thoughtsTokenCount": 2, "totalTokenCount": 17}
    candidate = {**content, "finishReason": finish, "index": 0, **more}
    return Response(200, {"candidates": [candidate], "usageMetadata": usage, "modelVersion": MODEL, "responseId": "r"})


class FakeGeminiComputer(FakeServer):
    """The API with one valid key, and a model that sees.

    Args:
        spelling: which generation of actions, in whose spelling.
        whole: whether coordinates are whole numbers, as those of the real model are.
        together: whether click and typing come in one turn.

    """

    def __init__(self, *, spelling: Spelling = "new", whole: bool = True, together: bool = False) -> None:
        super().__init__()
        self.script: list[Response] = []
        self.asked: list[dict[str, Any]] = []
        self.said: list[dict[str, Any]] = []
        self.pictures: list[Image.Image] = []
        self._spelling: Spelling = spelling
        self._whole = whole
        self._together = together
        self._turns: list[dict[str, Any]] = []
        self._done = 0
        self._tries = 0
        self._count = 0

    def answer(self, request: Request) -> Response:
        route = _ROUTE.fullmatch(request.path)
        if request.method != "POST" or not route:
            return Response(404, "<html>Not Found</html>")
        key = request.headers.get("x-goog-api-key")
        if key != KEY:
            return bad_key() if key else no_key()
        if route[1] not in MODELS.values():
            text = f"models/{route[1]} is not found for API version v1beta, or is not supported for generateContent."
            return error(404, "NOT_FOUND", text)
        body = cast("dict[str, Any]", request.json)
        fault = self._fault(body, route[1])
        if fault:
            return error(400, "INVALID_ARGUMENT", fault)
        self.asked.append(body)
        response = self.script.pop(0) if self.script else self._decide(body)
        self._remember(response)
        return response

    def _remember(self, response: Response) -> None:
        body = response.body
        if response.status == 200 and isinstance(body, dict):
            for candidate in cast("dict[str, Any]", body).get("candidates", []):
                if candidate.get("content", {}).get("parts"):
                    self._turns.append(candidate["content"])

    def _fault(self, body: dict[str, Any], model: str) -> str | None:
        unknown = set(body) - {"contents", "tools", "systemInstruction", "generationConfig"}
        if unknown:
            return f'Invalid JSON payload received. Unknown name "{min(unknown)}": Cannot find field.'
        tools = {name: value for tool in body.get("tools", []) for name, value in tool.items()}
        if tools.get("computerUse", {}).get("environment") != "ENVIRONMENT_DESKTOP":
            return "Computer Use tool needs an environment."
        if model == MODELS["legacy"] and "enablePromptInjectionDetection" in tools["computerUse"]:
            return "Prompt injection detection is not supported by this model."
        declared = {each["name"] for each in tools.get("functionDeclarations", [])}
        if not declared >= _OURS:
            return f"functions are missing: {_OURS - declared}"
        if not body.get("systemInstruction", {}).get("parts", [{}])[0].get("text"):
            return "the system instruction is empty"
        return self._contents_fault(body["contents"])

    def _contents_fault(self, contents: list[dict[str, Any]]) -> str | None:
        pictures = 0
        for number, content in enumerate(contents):
            if content["role"] != ("user" if number % 2 == 0 else "model"):
                return "Please ensure that multiturn requests alternate between user and model."
            if content["role"] == "model":
                if content not in self._turns:
                    return "Function call is missing a thought_signature, or the model's turn was changed."
                continue
            fault = self._answers_fault(contents[number - 1]["parts"] if number else [], content["parts"])
            if fault:
                return fault
            pictures += self._look(content["parts"])
        if contents[-1]["role"] != "user" or not self._look(contents[-1]["parts"]):
            return "The last turn must be the user's, with a screenshot."
        return f"{pictures} screenshots are too many." if pictures > MOST_PICTURES else None

    def _answers_fault(self, asked: list[dict[str, Any]], parts: list[dict[str, Any]]) -> str | None:
        calls = [part["functionCall"] for part in asked if "functionCall" in part]
        answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
        if [(call["id"], call["name"]) for call in calls] != [(one.get("id"), one.get("name")) for one in answers]:
            return "Please ensure that the number of function response parts is equal to the number of function calls."
        if calls and len(parts) != len(answers):
            return "A turn that answers function calls must hold nothing else."
        for call, one in zip(calls, answers, strict=True):
            if not isinstance(one.get("response"), dict):
                return "response is required"
            must_confirm = call["args"].get("safety_decision", {}).get("decision") == "require_confirmation"
            if must_confirm and one["response"].get("safety_acknowledgement") is not True:
                return "safety_acknowledgement is required for a call whose safety decision is require_confirmation."
            if not must_confirm and "safety_acknowledgement" in one["response"]:
                return "There was nothing to acknowledge."
        return None

    def _look(self, parts: list[dict[str, Any]]) -> int:
        """How many pictures there are, each of which must be one."""
        inner = [part for part in parts if "inlineData" in part]
        inner += [one for part in parts for one in part.get("functionResponse", {}).get("parts", [])]
        for part in inner:
            data = part["inlineData"]
            assert data["mimeType"] == "image/png"
            try:
                picture = Image.open(io.BytesIO(base64.b64decode(data["data"], validate=True)))
                picture.load()
            except (binascii.Error, OSError) as broken:
                raise AssertionError("a picture cannot be decoded") from broken
            assert picture.format == "PNG"
            self.pictures.append(picture)
        return len(inner)

    def _decide(self, body: dict[str, Any]) -> Response:
        contents: list[dict[str, Any]] = body["contents"]
        text = "\n".join(part["text"] for part in contents[0]["parts"] if "text" in part)
        question = read_question(text, body["systemInstruction"]["parts"][0]["text"])
        if question is None:
            return turn([{"text": "What shall I do?"}])
        if len(contents) == 1:
            self._done = self._tries = 0
        png = _newest(contents[-1]["parts"])
        size = self.pictures[-1].size
        spoken: list[tuple[str, dict[str, Any]]] = []
        while True:
            call = next_call(png, *question, self._done, tries=self._tries)
            self._done += call.is_progress
            self._tries = 0 if call.is_progress else self._tries + 1
            spoken.append(self._spoken(call, size))
            if not (self._together and call.kind == "click" and self._next_types(png, question)):
                break
        self.said += [args for _, args in spoken]
        self._count += len(spoken)
        return calls(*spoken, first=self._count - len(spoken))

    def _next_types(self, png: bytes, question: tuple[str, list[dict[str, Any]]]) -> bool:
        return next_call(png, *question, self._done).kind == "type"

    def _spoken(self, call: Call, size: tuple[int, int]) -> tuple[str, dict[str, Any]]:
        def share(at: tuple[int, int] | None) -> tuple[float, float]:
            assert at is not None
            x, y = at[0] / size[0] * 1000, at[1] / size[1] * 1000
            return (min(999, round(x)), min(999, round(y))) if self._whole else (round(x, 3), round(y, 3))

        if call.kind == "done":
            return "done", {"result": call.text, "succeeded": call.succeeded}
        if call.kind == "extract":
            return "extract", {"variable_name": call.name, "query": call.query, "value": call.text}
        if call.kind == "open_app":
            return "open_app", {"name": call.text}
        if call.kind == "open_url":
            return "open_url", {"url": call.text}
        speakers: dict[Spelling, Callable[[Call, Any], tuple[str, dict[str, Any]]]] = {
            "new": _new,
            "reference": _reference,
            "legacy": _legacy,
        }
        name, args = speakers[self._spelling](call, share)
        return name, {**args, "intent": f"Do the {call.kind}"}


def _new(call: Call, share: Any) -> tuple[str, dict[str, Any]]:
    if call.kind == "type":
        return "type", {"text": call.text, "press_enter": False}
    if call.kind == "key":
        return ("hotkey", {"keys": call.text.split("+")}) if "+" in call.text else ("press_key", {"key": call.text})
    if call.kind == "wait":
        return "wait", {"seconds": 1}
    x, y = share(call.at)
    if call.kind == "scroll":
        way = "down" if call.notches > 0 else "up"
        return "scroll", {"x": x, "y": y, "direction": way, "magnitude_in_pixels": 300}
    if call.kind == "drag":
        end_x, end_y = share(call.to)
        return "drag_and_drop", {"start_x": x, "start_y": y, "end_x": end_x, "end_y": end_y}
    return call.kind, {"x": x, "y": y}


def _reference(call: Call, share: Any) -> tuple[str, dict[str, Any]]:
    if call.kind == "scroll":
        x, y = share(call.at)
        way = "down" if call.notches > 0 else "up"
        return "scroll", {"x": x, "y": y, "direction": way, "magnitude_in_wheel_clicks": abs(call.notches)}
    if call.kind == "drag":
        (x, y), (end_x, end_y) = share(call.at), share(call.to)
        return "drag_and_drop", {"x": x, "y": y, "destination_x": end_x, "destination_y": end_y}
    if call.kind == "type":
        return "type", {"text": call.text}
    return _new(call, share)


def _legacy(call: Call, share: Any) -> tuple[str, dict[str, Any]]:
    if call.kind == "click":
        x, y = share(call.at)
        return "click_at", {"x": x, "y": y}
    if call.kind == "key":
        return "key_combination", {"keys": call.text.title()}
    if call.kind == "wait":
        return "wait_5_seconds", {}
    if call.kind == "scroll":
        x, y = share(call.at)
        return "scroll_at", {"x": x, "y": y, "direction": "down" if call.notches > 0 else "up", "magnitude": 400}
    return _reference(call, share)


def _newest(parts: list[dict[str, Any]]) -> bytes:
    inner = [part for part in parts if "inlineData" in part]
    inner += [one for part in parts for one in part.get("functionResponse", {}).get("parts", [])]
    return base64.b64decode(inner[-1]["inlineData"]["data"])
