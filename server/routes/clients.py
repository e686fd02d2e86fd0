"""``GET /clients``: what to copy to connect an agent or a script to this daemon."""

from fastapi import APIRouter, Request

from server.http.errors import documented
from server.security import needs_token
from server.services import ServicesOf
from server.setup.client_snippets import Snippets, snippets

router = APIRouter(tags=["settings"])


@router.get(
    "/clients",
    summary="What to copy to connect an agent: its configuration, with this daemon's address",
    description="The address is the one that the request was sent to. No token is in the answer.",
    responses=documented(),
)
async def clients(request: Request, services: ServicesOf) -> Snippets:
    """Tell it."""
    # The guard has let pass none but a name of ours.
    url = f"{request.url.scheme}://{request.headers['host']}"
    token_needed = needs_token(services.settings)
    return Snippets(
        url=url,
        token_needed=token_needed,
        token_file=str(services.settings.data_path / "token"),
        snippets=list(snippets(url, token_needed=token_needed)),
    )
