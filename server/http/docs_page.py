"""``/docs``: the API on one page of the dashboard, which is read without its script too."""

from html import escape
from string import Template
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.constants import REF_TEMPLATE
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse, JSONResponse

from server.dashboard.pages import DOCS, response
from server.http.errors import WRITES, ErrorBody, documented

router = APIRouter(include_in_schema=False)

_INTRODUCTION: Final = Template("""
<h1 class="flush">The HTTP interface</h1>
<p class="muted">All that this dashboard does can be asked for at <code>$address</code>. For programs:
<a href="/openapi.json">/openapi.json</a>; agents connect to <code>$address/mcp</code> (MCP, streamable HTTP). A
failure is <code>{"error": "a sentence", "code": "a_stable_code", …}</code>.</p>
<pre tabindex="0" aria-label="Two examples">curl -F video=@clip.mp4 \\
  -F 'metadata={"expectations": ["\\"Saved\\" is shown"]}' $address/analyse
curl -N $address/events</pre>
<div class="docs">
<nav class="docs-nav" aria-label="Groups"><ul>
$links
</ul></nav>
<div class="stack docs-body">
<div class="row between"><div class="field docs-find"><label class="label" for="find">Find</label>
<input id="find" type="search" placeholder="A path, a word, a field" autocomplete="off"></div>
<p id="found" class="muted small" role="status"></p></div>
$groups
</div>
</div>
""")
_METHODS: Final = {"get": "good", "delete": "bad"}
"""The colours of their badges; the others change something."""


@router.get("/docs")
async def docs(request: Request) -> HTMLResponse:
    """Show the page."""
    schema: dict[str, Any] = request.app.openapi()
    groups: dict[str, list[str]] = {}
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            group = next(iter(operation.get("tags", ())), "more")
            groups.setdefault(group, []).append(_operation(method, path, operation, schema["components"]["schemas"]))
    content = _INTRODUCTION.substitute(
        # The guard has let pass none but a name of ours.
        address=escape(request.headers["host"]),
        links="\n".join(f'<li><a href="#{escape(name)}">{escape(_title(name))}</a></li>' for name in groups),
        groups="\n".join(_group(name, operations) for name, operations in groups.items()),
    )
    return response(DOCS, request.app.state.credentials.page, content=content)


@router.get("/openapi.json")
async def openapi(request: Request) -> JSONResponse:
    """Show the schema, with the address that it was asked at."""
    servers = [{"url": f"{request.url.scheme}://{request.headers['host']}"}]
    return JSONResponse({**request.app.openapi(), "servers": servers})


def tidy_openapi(app: FastAPI) -> None:
    """Let the schema tell what is.

    Invalid parameters are answered 400 in our shape, not 422 in FastAPI's. Any path answers 405 to what it does not
    take, and any write 415 to a body of another type.
    """

    def schema() -> dict[str, Any]:
        if app.openapi_schema is None:
            made = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
            for methods in made["paths"].values():
                allow = ", ".join(sorted({*map(str.upper, methods), *(("HEAD",) if "get" in methods else ())}))
                for method, operation in methods.items():
                    _complete(operation["responses"], method, allow)
            schemas = made.setdefault("components", {}).setdefault("schemas", {})
            for unused in ("HTTPValidationError", "ValidationError"):
                schemas.pop(unused, None)
            schemas[ErrorBody.__name__] = ErrorBody.model_json_schema(ref_template=REF_TEMPLATE)
            app.openapi_schema = made
        return app.openapi_schema

    app.openapi = schema  # FastAPI's own way to extend the schema


def _complete(responses: dict[str, Any], method: str, allow: str) -> None:
    responses.pop("422", None)
    refused = documented(405, 415)
    responses["405"] = {**refused[405], "headers": {"Allow": {"schema": {"type": "string", "const": allow}}}}
    if method.upper() in WRITES:
        responses["415"] = refused[415]


def _title(group: str) -> str:
    return group.capitalize()


def _group(name: str, operations: list[str]) -> str:
    title = f"{escape(name)}-title"
    return (
        f'<section id="{escape(name)}" class="stack docs-group" aria-labelledby="{title}">'
        f'<h2 id="{title}" class="flush">{escape(_title(name))}</h2>{"".join(operations)}</section>'
    )


def _operation(method: str, path: str, operation: dict[str, Any], schemas: dict[str, Any]) -> str:
    inputs = [_row(f"<code>{escape(one['name'])}</code>", one["in"], one) for one in operation.get("parameters", [])]
    for kind, body in operation.get("requestBody", {}).get("content", {}).items():
        known = schemas.get(body["schema"].get("$ref", "").rpartition("/")[2], body["schema"])
        for name, field in known.get("properties", {}).items():
            inputs.append(_row(f"<code>{escape(name)}</code>", kind, field))
    answers = [_row(escape(status), "", answer) for status, answer in operation["responses"].items()]
    mood = _METHODS.get(method, "accent")
    description = operation.get("description", "")
    return (
        f'<details class="panel docs-operation"><summary><span class="badge {mood}">{method.upper()}</span> '
        f'<code>{escape(path)}</code> <span class="muted docs-summary">{escape(operation.get("summary", ""))}</span>'
        f"</summary>{f'<p>{escape(description)}</p>' if description else ''}"
        f"{_table('Takes', inputs)}{_table('Answers', answers)}</details>"
    )


def _table(title: str, rows: list[str]) -> str:
    if not rows:
        return ""
    table = f'<table class="table"><tbody>{"".join(rows)}</tbody></table>'
    return f'<h3>{title}</h3><div class="scroll" tabindex="0">{table}</div>'


def _row(label: str, kind: str, described: dict[str, Any]) -> str:
    where = f' <span class="muted small">{escape(kind)}</span>' if kind else ""
    return f'<tr><th scope="row">{label}{where}</th><td>{escape(described.get("description", ""))}</td></tr>'
