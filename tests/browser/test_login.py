"""Login in a real browser with a real (test) login service: who comes in, how far, and out again."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests import oidc_provider
from tests.browser.conftest import free_port, settled, started, wait_for

pytestmark = pytest.mark.browser

ADA, GRACE = "ada@example.org", "Grace@Council.Example"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """The app with a login, and the login service."""
    port = free_port()
    home = tmp_path_factory.mktemp("login-home")
    with oidc_provider.running(f"http://localhost:{port}/oauth2callback") as provider:
        secrets = home / "secrets.toml"
        secrets.write_text(provider.settings([ADA], ["*@council.example"]))
        secrets.chmod(0o600)
        app = started(home, port, STREAMLIT_SECRETS_FILES=str(secrets))
        try:
            provider.app = f"http://localhost:{port}"
            wait_for(provider.app)
            yield provider
        finally:
            app.terminate()
            app.wait(20)


def logged_in(page, service, **person) -> None:
    """Log in as somebody: one click, there and back."""
    service.person = person
    page.goto(service.app)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name="Log out").first.wait_for()
    settled(page)


def menu(page) -> list[str]:
    """The pages that the sidebar lists."""
    return page.get_by_test_id("stSidebarNavLink").all_inner_texts()


def test_before_login_there_is_a_button_and_nothing_else(page, service):
    for path in ("", "data", "library"):
        page.goto(f"{service.app}/{path}")
        page.get_by_role("button", name="Log in").wait_for()
        settled(page)
        expect(page.get_by_test_id("stSidebarNavLink")).to_have_count(0)
        assert "Trips file" not in page.inner_text("body")
        assert "Page not found" not in page.inner_text("body")


def test_the_owner_comes_in_and_out_again(page, service):
    logged_in(page, service, email=ADA, email_verified=True)
    assert {"Data", "Explore"} <= {name.split("\n")[-1] for name in menu(page)}
    expect(page.get_by_text("Protects everything a person did")).to_be_visible()
    assert "/token" in service.asked
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("button", name="Log in").wait_for()
    assert "/logout" in service.asked
    page.goto(f"{service.app}/data")
    page.get_by_role("button", name="Log in").wait_for()
    assert not page.faults


def test_a_viewer_sees_no_page_of_the_owner(page, service):
    logged_in(page, service, email=GRACE, email_verified=True)
    names = {name.split("\n")[-1] for name in menu(page)}
    assert not names & {"Data", "Explore", "Release"}
    for path in ("data", "explore", "release"):
        page.goto(f"{service.app}/{path}")
        page.get_by_text("Page not found").wait_for()
        settled(page)
        text = page.inner_text("body")
        assert "Trips file" not in text
        assert "Protects everything a person did" not in text
    expect(page.get_by_test_id("stSidebar")).to_contain_text("Logged in as")


@pytest.mark.parametrize(
    "person",
    [
        {"email": "mallory@evil.example", "email_verified": True},
        {"email": ADA, "email_verified": False},
        {"email": ADA},
    ],
    ids=["stranger", "unverified", "silent about it"],
)
def test_nobody_else_passes(page, service, person):
    logged_in(page, service, **person)
    expect(page.get_by_test_id("stSidebarNavLink")).to_have_count(0)
    expect(page.locator("body")).to_contain_text("Nothing to see for this address")
    assert "Protects everything" not in page.inner_text("body")


def test_a_login_that_ran_out_asks_again(page, service):
    # A few seconds ago: the service and the app allow for clocks that differ, and so let it through to the page.
    service.person = {"email": ADA, "email_verified": True, "lasts": -5}
    page.goto(service.app)
    page.get_by_role("button", name="Log in").click()
    page.get_by_text("Your login ran out").wait_for()
    settled(page)
    expect(page.get_by_test_id("stSidebarNavLink")).to_have_count(0)
    service.person = {"email": ADA, "email_verified": True}
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="Data").wait_for()
