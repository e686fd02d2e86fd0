"""``/docs``: the API on one page of plain HTML, without a script and without an asset from anywhere."""

import base64
import hashlib
from html import escape
from string import Template
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.constants import REF_TEMPLATE
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse, JSONResponse

from server.http.errors import WRITES, ErrorBody, documented

router = APIRouter(include_in_schema=False)

_STYLE: Final = """
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
h2 { margin: 2.5rem 0 .25rem; font-size: 1.1rem } code { font: .9em ui-monospace, monospace }
.method { display: inline-block; min-width: 4.5rem; font-weight: 700 }
table { border-collapse: collapse; margin: .5rem 0 } td, th { text-align: left; padding: .15rem 1rem .15rem 0 }
td { vertical-align: top; border-top: 1px solid #8884 } pre { overflow: auto; padding: .5rem; background: #8882 }
"""
_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
_INTRODUCTION: Final = Template("""
<p>The machine-readable version: <a href="/openapi.json">/openapi.json</a>. Agents connect to <code>/mcp</code>
(MCP, streamable HTTP). Every failure is <code>{"error": "a sentence", "code": "a_stable_code", …}</code>.</p>
<pre>curl -F video=@clip.mp4 -F 'metadata={"expectations": ["\\"Saved\\" is shown"]}' $address/analyse
curl -N $address/events</pre>
""")


@router.get("/docs")
async def docs(request: Request) -> HTMLResponse:
    """Show the page."""
    schema: dict[str, Any] = request.app.openapi()
    routes = "".join(
        _operation(method, path, operation, schema["components"]["schemas"])
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    )
    info = schema["info"]
    # The guard has let pass none but a name of ours.
    introduction = _INTRODUCTION.substitute(address=escape(request.headers["host"]))
    page = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(info["title"])}</title>'
        f"<style>{_STYLE}</style><h1>{escape(info['title'])} {escape(info['version'])}</h1>"
        f"<p>{escape(info['summary'])}</p>{introduction}{routes}</html>"
    )
    return HTMLResponse(page, headers={"Content-Security-Policy": _POLICY})


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


def _operation(method: str, path: str, operation: dict[str, Any], schemas: dict[str, Any]) -> str:
    inputs = "".join(
        _row(f"<code>{escape(one['name'])}</code> ({one['in']})", one) for one in operation.get("parameters", [])
    )
    for kind, body in operation.get("requestBody", {}).get("content", {}).items():
        known = schemas.get(body["schema"].get("$ref", "").rpartition("/")[2], body["schema"])
        for name, field in known.get("properties", {}).items():
            inputs += _row(f"<code>{escape(name)}</code> ({escape(kind)})", field)
    answers = "".join(_row(status, answer) for status, answer in operation["responses"].items())
    return (
        f'<h2><span class="method">{method.upper()}</span> <code>{escape(path)}</code></h2>'
        f"<p>{escape(operation.get('summary', ''))}. {escape(operation.get('description', ''))}</p>"
        f"<table>{inputs}{answers}</table>"
    )


def _row(label: str, described: dict[str, Any]) -> str:
    return f"<tr><td>{label}</td><td>{escape(described.get('description', ''))}</td></tr>"
