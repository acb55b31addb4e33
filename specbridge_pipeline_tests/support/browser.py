"""A headless Chromium that tests open pages in, click in, and read from."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from websockets.sync.client import connect

# What makes a key submit a form.
_ENTER = {"text": "\r", "code": "Enter", "windowsVirtualKeyCode": 13}

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One page of a Chromium that nothing else uses.

    Args:
        folder: A folder for its profile, empty or left behind by one that was closed.
        width: Of the window, in pixels.
        height: Of the window, in pixels.
    """

    def __init__(self, folder: Path, width: int = 1500, height: int = 1400) -> None:
        assert CHROMIUM is not None
        port_file = folder / "DevToolsActivePort"
        # A browser that was opened on the profile before has left its own.
        port_file.unlink(missing_ok=True)
        self._process = subprocess.Popen(
            [
                CHROMIUM,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-background-networking",
                "--remote-debugging-port=0",
                f"--user-data-dir={folder}",
                f"--window-size={width},{height}",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(600):
            if port_file.exists() and port_file.read_text().count("\n"):
                break
            time.sleep(0.1)
        port, path = port_file.read_text().split("\n")[:2]
        self._socket = connect(f"ws://127.0.0.1:{port}{path}", max_size=None)
        self._number = 0
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        attached = self._send("Target.attachToTarget", targetId=target, flatten=True)
        self._session: str | None = attached["sessionId"]

    _session = None

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._socket.close()
        self._process.kill()
        self._process.wait()

    def open(self, address: str) -> None:
        """Go to a page."""
        self._send("Page.navigate", url=address)

    def evaluate(self, script: str) -> Any:
        """Return the value of a JavaScript expression on the page."""
        answer = self._send("Runtime.evaluate", expression=script, returnByValue=True)
        return answer["result"].get("value")

    def wait_for(self, script: str, seconds: float = 60) -> Any:
        """Return the value of an expression as soon as it is true."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            value = self.evaluate(script)
            if value:
                return value
            time.sleep(0.2)
        text = self.evaluate("document.body && document.body.innerText")
        raise AssertionError(f"never true: {script}\nthe page says:\n{text}")

    def press(self, *keys: str) -> None:
        """Press keys one after another, each by the name that the page is told."""
        for key in keys:
            text: dict[str, Any] = (
                {"text": key} if len(key) == 1 else _ENTER if key == "Enter" else {}
            )
            self._send("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
            self._send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def hold(self, key: str) -> None:
        """Hold a key down for so long that it repeats itself."""
        for repeated in (False, True, True):
            self._send(
                "Input.dispatchKeyEvent", type="keyDown", key=key, text=key, autoRepeat=repeated
            )
        self._send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def type(self, text: str) -> None:
        """Write a text into what has the focus."""
        self._send("Input.insertText", text=text)

    def download_to(self, folder: Path) -> None:
        """Let the page download files into a folder."""
        self._send("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder))

    def run_first(self, script: str) -> None:
        """Run a script in every page that is opened from now on, before its own."""
        self._send("Page.enable")
        self._send("Page.addScriptToEvaluateOnNewDocument", source=script)

    def emulate(self, width: int, height: int, *, dark: bool = False) -> None:
        """Show pages at a size, and light or dark."""
        self._send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._send("Emulation.setEmulatedMedia", features=[scheme])

    def quit(self) -> None:
        """Close it as a person does, so that it writes what its pages keep."""
        self._session = None
        self._send("Browser.close")
        self._process.wait(60)

    def screenshot(self, path: Path) -> None:
        """Write what is on the screen as a PNG."""
        shot = self._send("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(shot["data"]))

    def _send(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        self._socket.send(json.dumps(message))
        while True:
            answer = json.loads(self._socket.recv())
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                result: dict[str, Any] = answer["result"]
                return result
