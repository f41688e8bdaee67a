"""What the browser tests of the table are made of: the program as a process, and headless Chromium with the words in which the
tests are written. See kiosk.py."""

import os
import pathlib
import re
import shutil
import subprocess
import threading
import time

# Seconds within which the page must show what it is waited for; machines of a test farm are slow.
PATIENCE = 60
# The flags without which Chromium looks for hosts that are not there.
FLAGS = """--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync --disable-dev-shm-usage --hide-scrollbars""".split()


class Kiosk:
    """The program, serving at a port of its own."""

    def __init__(self, program, *arguments, cwd):
        command = [program, "kiosk", "--port", "0", *arguments]
        self.process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.said = []
        self.address = None
        self.has_address = threading.Event()
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()
        if not self.has_address.wait(PATIENCE) or self.address is None:
            self.process.kill()
            raise AssertionError(f"{command} named no address: {''.join(self.said)}")

    def listen(self):
        for line in self.process.stdout:
            self.said.append(line)
            found = re.search(r"http://[\w.:\[\]-]+:\d+", line)
            if found and self.address is None:
                self.address = found.group(0)
                self.has_address.set()
        self.has_address.set()

    def stop(self):
        """Ends the program as Ctrl-C does; its exit code."""
        self.process.send_signal(2)
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = None
        self.listener.join(PATIENCE)
        self.process.stdout.close()
        return code


def chromium():
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((found for found in map(shutil.which, names) if found), None)


def find_axe():
    given = os.environ.get("AXE_CORE")
    if given:
        return pathlib.Path(given).read_text()
    if shutil.which("npm"):
        asked = subprocess.run(["npm", "root", "-g"], check=False, capture_output=True, text=True)
        file = pathlib.Path(asked.stdout.strip()) / "axe-core" / "axe.min.js"
        if asked.returncode == 0 and file.is_file():
            return file.read_text()
    return None


class Browser:
    """Headless Chromium with the words in which the tests are written."""

    def __init__(self):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        options = webdriver.ChromeOptions()
        options.binary_location = chromium()
        for flag in FLAGS:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.driver.set_script_timeout(PATIENCE)
        self.seen("light", 1280)

    def close(self):
        self.driver.quit()

    def seen(self, scheme, width, height=900):
        # Without motion, or a page that changes its colours would be looked at halfway.
        wanted = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        features = [{"name": name, "value": value} for name, value in wanted.items()]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def open(self, address):
        # Another place of the same page is no new page for a browser.
        self.driver.get("about:blank")
        self.driver.get(address)

    def ask(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, script, *arguments, what=None):
        """Waits until a script answers something true; the answer."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            answer = self.ask(script, *arguments)
            if answer:
                return answer
            time.sleep(0.05)
        shown = self.ask("return document.body.innerText")
        raise AssertionError(f"waited {PATIENCE} s for {what or script}; the page shows:\n{shown}")

    def find(self, css):
        """The element, which must be shown."""
        script = "const one = document.querySelector(arguments[0]); return one && one.getClientRects().length ? one : null"
        return self.wait(script, css, what=css)

    def count(self, css):
        return self.ask("return document.querySelectorAll(arguments[0]).length", css)

    def each(self, css, what):
        """What an expression of JavaScript says of each element, which it calls `one`."""
        return self.ask(f"return [...document.querySelectorAll(arguments[0])].map(one => {what})", css)

    def text(self, css):
        return self.ask("return document.querySelector(arguments[0])?.textContent ?? ''", css)

    def click(self, css):
        """A click of the mouse. What is drawn again between finding and clicking is found again."""
        from selenium.common.exceptions import ElementClickInterceptedException, StaleElementReferenceException

        for _ in range(20):
            try:
                element = self.find(css)
                self.ask("arguments[0].scrollIntoView({ block: 'center' })", element)
                return element.click()
            except (StaleElementReferenceException, ElementClickInterceptedException):
                time.sleep(0.1)
        raise AssertionError(f"{css} could not be clicked")

    def keys(self, *keys):
        """Keys of the keyboard, for whatever has the focus."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def turn(self):
        """Waits for a turn of this seat (`turn`, with the step) or for the end (`over`)."""
        script = """const turn = document.getElementById('turn');
            if (document.getElementById('result')) return ['over', null];
            return turn && turn.dataset.turn === 'true' ? ['turn', turn.dataset.step] : null"""
        return self.wait(script, what="a turn or the end of the match")

    def answered(self, step):
        """Waits until a move of this step was sent or the match goes on."""
        script = """const turn = document.getElementById('turn');
            return !turn || turn.dataset.turn !== 'true' || turn.dataset.step !== arguments[0]"""
        self.wait(script, step, what=f"the answer of step {step}")

    def console(self):
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
