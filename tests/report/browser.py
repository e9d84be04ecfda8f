"""A real Chromium, headless and without a network, as tests want it."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
# Notes when the page first said that it is usable, as it sees time itself.
WATCH = """
window.alerts = [];
for (const name of ['alert', 'confirm', 'prompt']) window[name] = text => window.alerts.push(text);
window.readyAt = {};
const look = () => {
  const named = [['page', document.documentElement]];
  document.querySelectorAll('.explorer').forEach(one => named.push([one.id, one]));
  for (const [name, one] of named)
    if (one && one.dataset.ready === 'true' && !(name in window.readyAt))
      window.readyAt[name] = performance.now();
};
new MutationObserver(look).observe(document,
  {subtree: true, childList: true, attributes: true, attributeFilter: ['data-ready']});
window.longest = 0;
new PerformanceObserver(list => {
  for (const one of list.getEntries()) window.longest = Math.max(window.longest, one.duration);
}).observe({type: 'longtask', buffered: true});
"""
WAIT = 15.0


class Browser:
    """One window; each :meth:`open` is a fresh page with the settings that it names."""

    def __init__(self, profile: Path) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        chromium = next(filter(None, map(shutil.which, CHROMIUM)), None)
        driver = shutil.which("chromedriver")
        if chromium is None or driver is None:
            pytest.skip("Chromium and chromedriver are not installed")
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for flag in (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-extensions",
            "--disable-sync",
            "--force-device-scale-factor=1",
            "--hide-scrollbars",
            "--no-first-run",
            "--no-default-browser-check",
            f"--user-data-dir={profile}",
        ):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(driver))
        self.script = True
        self.cdp("Network.enable")
        # The page may ask no one, not even where a test forgets to look.
        self.cdp(
            "Network.emulateNetworkConditions",
            offline=True,
            latency=0,
            downloadThroughput=0,
            uploadThroughput=0,
        )
        self.cdp("Network.setBlockedURLs", urls=["http://*", "https://*", "ws://*", "wss://*"])
        self.cdp("Page.addScriptToEvaluateOnNewDocument", source=WATCH)

    def cdp(self, command: str, **options: Any) -> dict[str, Any]:
        answer: dict[str, Any] = self.driver.execute_cdp_cmd(command, options)
        return answer

    def open(
        self,
        page: Path,
        fragment: str = "",
        *,
        size: tuple[int, int] = (1400, 900),
        script: bool = True,
        dark: bool = False,
        ready: bool = True,
    ) -> None:
        """Open a file anew.

        Args:
            page: the file.
            fragment: what stands behind # in the address.
            size: of the viewport.
            script: whether JavaScript runs.
            dark: whether the reader's system asks for dark colours.
            ready: wait until page and first explorer say that they are usable.
        """
        self.script = script
        self.cdp("Emulation.setScriptExecutionDisabled", value=not script)
        self.media("", dark=dark)
        self.resize(*size)
        # Another page in between: a changed fragment alone would not load the file again.
        self.driver.get("about:blank")
        self.errors()
        self.driver.get(page.resolve().as_uri() + (f"#{fragment}" if fragment else ""))
        # The driver may return before all is read, where no script runs.
        self.wait("return location.protocol === 'file:' && document.readyState === 'complete'")
        if script and ready:
            self.wait("return document.documentElement.dataset.ready === 'true'")
            self.wait(
                "const one = document.querySelector('.explorer');"
                "return !one || one.dataset.ready === 'true'"
            )

    def resize(self, width: int, height: int) -> None:
        """The viewport's size, below what a window may have too."""
        self.cdp(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def media(self, kind: str = "", *, dark: bool = False) -> None:
        """Show the page as on this medium ("print") and in the dark."""
        scheme = "dark" if dark else "light"
        self.cdp(
            "Emulation.setEmulatedMedia",
            media=kind,
            features=[
                {"name": "prefers-color-scheme", "value": scheme},
                {"name": "prefers-reduced-motion", "value": "reduce"},
            ],
        )

    def js(self, script: str, *arguments: Any) -> Any:
        """What a function body returns."""
        return self.driver.execute_script(script, *arguments)

    def wait(self, script: str, *arguments: Any, seconds: float = WAIT) -> Any:
        """What a function body returns once that is true."""
        from selenium.common.exceptions import TimeoutException
        from selenium.webdriver.support.ui import WebDriverWait

        waiting = WebDriverWait(self.driver, seconds, poll_frequency=0.02)
        try:
            return waiting.until(lambda driver: driver.execute_script(script, *arguments))
        except TimeoutException:
            raise AssertionError(
                f"never came true in {seconds:g} s: {script}; console: {self.errors()}"
            ) from None

    def settle(self) -> None:
        """Two frames, so that what was asked for is drawn; without a script, a new layout."""
        if not self.script:
            self.js("return document.body.offsetHeight")
            return
        self.driver.execute_async_script(
            "const done = arguments[0];"
            "requestAnimationFrame(() => requestAnimationFrame(() => done()))"
        )

    def keys(self, *keys: str) -> None:
        """Press keys, wherever the focus is."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def click(self, selector: str) -> None:
        """A real click in the middle of the first element that is visible."""
        from selenium.webdriver.common.action_chains import ActionChains

        element = self.js(
            "const one = [...document.querySelectorAll(arguments[0])]"
            ".find(one => one.checkVisibility());"
            "if (one) one.scrollIntoView({block: 'center', behavior: 'instant'}); return one",
            selector,
        )
        assert element is not None, f"nothing visible matches {selector}"
        ActionChains(self.driver).move_to_element(element).click().perform()

    def choose(self, selector: str, value: str) -> None:
        """Choose an option by its value, as a reader does."""
        from selenium.webdriver.support.ui import Select

        Select(self.driver.find_element("css selector", selector)).select_by_value(value)

    def type(self, selector: str, text: str) -> None:
        """Replace what stands in a text field."""
        field = self.driver.find_element("css selector", selector)
        field.clear()
        if text:
            field.send_keys(text)

    def errors(self) -> list[str]:
        """What the console complained about since the last look."""
        return [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] == "SEVERE" or "Content Security Policy" in entry["message"]
        ]

    def asked_for(self) -> list[str]:
        """Everything that the page loaded beside itself."""
        names: list[str] = self.js(
            "return performance.getEntriesByType('resource').map(one => one.name)"
        )
        return names

    def box(self, selector: str) -> dict[str, float]:
        """Where the first visible element is on the page."""
        found: dict[str, float] | None = self.js(
            "const one = [...document.querySelectorAll(arguments[0])]"
            ".find(one => one.checkVisibility());"
            "if (!one) return null; const box = one.getBoundingClientRect();"
            "return {left: box.left + scrollX, right: box.right + scrollX,"
            " top: box.top + scrollY, bottom: box.bottom + scrollY}",
            selector,
        )
        assert found is not None, f"nothing visible matches {selector}"
        return found

    def texts(self, selector: str) -> list[str]:
        """The texts of all visible elements, as they are drawn."""
        found: list[str] = self.js(
            "return [...document.querySelectorAll(arguments[0])]"
            ".filter(one => one.checkVisibility())"
            ".map(one => (one.innerText ?? one.textContent).trim())",
            selector,
        )
        return found

    def count(self, selector: str) -> int:
        """How many visible elements match."""
        return len(self.texts(selector))

    def pdf(self) -> bytes:
        """The page as it is printed."""
        answer = self.cdp("Page.printToPDF", preferCSSPageSize=True, printBackground=False)
        return base64.b64decode(answer["data"])

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """A PNG of the viewport, or of the whole page."""
        answer = self.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(answer["data"]))

    def quit(self) -> None:
        self.driver.quit()


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A browser with a profile of its own; skips the test where there is none."""
    pytest.importorskip("selenium")
    one = Browser(profile)
    try:
        yield one
    finally:
        one.quit()


def visible_text(browser: Browser) -> str:
    """All that stands on the page for the eye."""
    text: str = browser.js("return document.body.innerText")
    return text
