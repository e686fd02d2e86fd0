"""The dashboard's pages, what they load, and signing in from other machines and accounts."""

import hmac
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Annotated, Any, Self

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import ModelWrapValidatorHandler, SecretStr, ValidationError, model_validator

from core.errors import InvalidRequest, NotFound
from server.dashboard.pages import MISSING, PAGES, POLICY, ROOT, SIGN_IN, Page, assets, edition, response
from server.http.bodies import JsonBody, JsonRoute
from server.http.errors import documented, refusal
from server.identity import SESSION_COOKIE, Credentials
from server.services import ServicesOf

router = APIRouter(tags=["dashboard"], route_class=JsonRoute)

_FOR_GOOD = "public, max-age=31536000, immutable"
_SESSION_SECONDS = 30 * 24 * 3600


class SignIn(JsonBody):
    """What a person types who opens the dashboard from elsewhere."""

    token: SecretStr

    @model_validator(mode="wrap")
    @classmethod
    def _hide_input(cls, body: Any, validate: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return validate(body)
        except ValidationError:
            raise InvalidRequest('Send {"token": "<the text of data_dir/token>"}.') from None


def _shown(page: Page) -> Callable[[Request], Awaitable[HTMLResponse]]:
    async def show(request: Request) -> HTMLResponse:
        return response(page, request.app.state.credentials.page)

    return show


for _page in (*PAGES, SIGN_IN):
    router.add_api_route(_page.path, _shown(_page), include_in_schema=False, response_class=HTMLResponse)


@router.get(f"{ROOT}/assets/{{made}}/{{name:path}}", include_in_schema=False)
async def asset(made: Annotated[str, Path(max_length=64)], name: Annotated[str, Path(max_length=100)]) -> Response:
    """Send a file that pages load; one of an older edition is sent as it is now, and not to be kept."""
    found = assets().get(name)
    if found is None:
        raise NotFound(f"The dashboard has no file {name!r}.")
    kept = _FOR_GOOD if made == edition() else "no-store"
    # A worker obeys the policy that it was sent with, not its page's.
    headers = {"Cache-Control": kept, "Content-Security-Policy": POLICY}
    return Response(found.content, media_type=found.media_type, headers=headers)


@router.get(ROOT, include_in_schema=False)
@router.get(f"{ROOT}/", include_in_schema=False)
async def first_page() -> RedirectResponse:
    """Lead to the first page."""
    return RedirectResponse(PAGES[0].path)


@router.get(f"{ROOT}/{{rest:path}}", include_in_schema=False)
async def missing(request: Request) -> HTMLResponse:
    """Say that there is no such page, as a page."""
    return response(MISSING, request.app.state.credentials.page, HTTPStatus.NOT_FOUND)


@router.get(
    "/session",
    summary="What a page of the dashboard carries in its writes",
    description="A browser's writes need it in the header `X-Vaider-Page`; other origins cannot read this answer.",
    responses=documented(),
)
async def session(request: Request) -> dict[str, str]:
    return {"page": request.app.state.credentials.page, "edition": edition()}


@router.post(
    "/session",
    status_code=204,
    response_class=Response,
    summary="Sign a browser in",
    description="For other machines and other accounts of this one: `token` is the text of `<data_dir>/token`. "
    "The browser's cookie stands for it from then on.",
    responses=documented(413, 415),
)
async def sign_in(given: SignIn, request: Request, services: ServicesOf) -> Response:
    credentials: Credentials = request.app.state.credentials
    if not hmac.compare_digest(
        given.token.get_secret_value().strip().encode("utf-8", "replace"), credentials.secret.encode()
    ):
        return refusal(HTTPStatus.UNAUTHORIZED, "That is not the text of data_dir/token; look there and try again.")
    answer = Response(status_code=HTTPStatus.NO_CONTENT)
    answer.set_cookie(
        SESSION_COOKIE,
        credentials.session,
        max_age=_SESSION_SECONDS,
        httponly=True,
        samesite="strict",
        secure=services.settings.public_url.startswith("https://"),
        path="/",
    )
    return answer
