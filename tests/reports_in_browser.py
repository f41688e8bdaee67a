#!/usr/bin/env python3
"""Reports in a browser: makes three reports with the program, opens them in headless Chromium, and checks what only a
browser can see. Run by hand, from the root of the project, after `cargo build --release`:

    python3 tests/reports_in_browser.py [FOLDER]

FOLDER takes the reports and their pictures (default: a temporary folder, which is removed). Without chromium, poppler-utils or
the module websocket (package websocket-client) the script says so and ends with exit code 0. Otherwise it ends with 1 if
something is wrong.

At 360 and 1280 pixels, light and dark, of each page:
- the body is not wider than the window: only elements of the class `wide` scroll sideways;
- no two texts of a figure overlap, and none leaves its figure;
- each name of a legend has a series that is drawn, and each series that is drawn has a name in a legend where there is one;
- every text has a contrast of 4.5 at least with what is behind it;
- words stand to the left and numbers to the right in every column of a table.
Of each SVG file: it is XML, and the browser loads the font that is in it.
Of each PDF: its font is embedded (pdffonts), and it is as wide as one or two columns of a paper.
"""

import base64
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target" / "release" / "hyperplay"
WIDTHS = (360, 1280)
SCHEMES = ("light", "dark")

GRID = """
schema = "hyperplay.experiment/1"
name = "Particles and playouts"
about = "Two parameters, against a player that sees the state and against one that plays at random."
seed = 1
games = ["krieg_tictactoe_3x3"]
repetitions = 20

[schedule]
kind = "gauntlet"
challengers = ["hyperplay"]

[[player]]
name = "hyperplay"
spec = "hyperplay:search=flat,nodes=0,sampler=hyperplay:enumerate=off"
grid = { particles = [1, 2, 4, 8, 16], playouts = ["1/move", "4/move", "16/move"] }

[[player]]
name = "clairvoyant"
spec = "clairvoyant:search=flat,nodes=0,playouts=8/move"

[[player]]
name = "random"
spec = "random"
"""

# Everything that is asked of a page, as lists of sentences: empty where all is well.
ASKED = r"""
const faults = [];
const root = document.documentElement;
if (root.scrollWidth > root.clientWidth) faults.push(`the page is ${root.scrollWidth} wide in ${root.clientWidth}`);
for (const one of document.body.querySelectorAll('*')) {
  if (one.closest('svg') || one.closest('.wide')) continue;
  if (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline' && one.clientWidth > 0)
    faults.push(`<${one.tagName.toLowerCase()}> '${one.textContent.slice(0, 40)}' is wider than its place`);
}
// Figures.
for (const svg of document.querySelectorAll('svg')) {
  const name = svg.getAttribute('aria-label');
  const frame = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()]);
  const edge = 0.6;
  texts.forEach(([text, box], at) => {
    if (box.left < frame.left - edge || box.right > frame.right + edge || box.top < frame.top - edge || box.bottom > frame.bottom + edge)
      faults.push(`${name}: '${text}' leaves the figure`);
    for (const [other, area] of texts.slice(0, at))
      if (box.left + edge < area.right && area.left + edge < box.right && box.top + edge < area.bottom && area.top + edge < box.bottom)
        faults.push(`${name}: '${text}' and '${other}' overlap`);
  });
  const names = kind => new Set([...svg.querySelectorAll(`g.${kind}`)].filter(g => g.querySelector('path')).map(g => g.dataset.name));
  const [series, legend] = [names('series'), names('legend')];
  for (const name_ of legend) if (!series.has(name_)) faults.push(`${name}: '${name_}' is in the legend and not drawn`);
  if (legend.size > 0) for (const name_ of series) if (!legend.has(name_)) faults.push(`${name}: '${name_}' is drawn and not in the legend`);
}
// Contrast.
const part = c => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
const numbers = colour => (colour.match(/[\d.]+/g) || []).map(Number);
const contrast = (one, two) => { const [a, b] = [light(one) + 0.05, light(two) + 0.05]; return Math.max(a, b) / Math.min(a, b); };
const behind = element => {
  for (let one = element; one; one = one.parentElement) {
    const colour = numbers(getComputedStyle(one).backgroundColor);
    if (colour.length === 3 || colour[3] > 0) return colour.slice(0, 3);
  }
  return [255, 255, 255];
};
for (const one of document.body.querySelectorAll('h1,h2,h3,p,td,th,figcaption,b')) {
  const reached = contrast(numbers(getComputedStyle(one).color).slice(0, 3), behind(one));
  if (reached < 4.5) faults.push(`'${one.textContent.slice(0, 30)}' has a contrast of ${reached.toFixed(2)}`);
}
for (const svg of document.querySelectorAll('svg')) {
  const areas = [...svg.querySelectorAll('path,rect')].filter(area => getComputedStyle(area).fill !== 'none');
  for (const text of svg.querySelectorAll('text')) {
    const box = text.getBoundingClientRect();
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    let ground = null;
    for (const area of areas) {
      const on = area.getBoundingClientRect();
      if (on.left <= x && x <= on.right && on.top <= y && y <= on.bottom && on.width > box.width * 0.8) ground = numbers(getComputedStyle(area).fill);
    }
    if (!ground) { faults.push(`'${text.textContent}' stands on nothing`); continue; }
    const reached = contrast(numbers(getComputedStyle(text).fill).slice(0, 3), ground.slice(0, 3));
    if (reached < 4.5) faults.push(`${svg.getAttribute('aria-label')}: '${text.textContent}' has a contrast of ${reached.toFixed(2)}`);
  }
}
// Tables.
const isNumber = text => /^[?]?$|^[-+]?[\d.]/.test(text.trim());
for (const table of document.querySelectorAll('table')) {
  const rows = [...table.querySelectorAll('tbody tr')].map(row => [...row.children]);
  for (let column = 0; rows.length && column < rows[0].length; column++) {
    const cells = rows.map(row => row[column]);
    const isWords = cells.some(cell => /^[A-Za-z]{2}/.test(cell.textContent) && !/^(yes|no)$/.test(cell.textContent));
    const align = isWords ? 'left' : 'right';
    if (isWords || cells.every(cell => isNumber(cell.textContent)))
      if (cells.some(cell => getComputedStyle(cell).textAlign !== align) && !cells[0].matches('.w') !== !isWords)
        faults.push(`a column of '${cells[0].textContent}' is not to the ${align}`);
  }
}
return faults;
"""


def run(*arguments, cwd):
    done = subprocess.run([PROGRAM, *arguments], cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.stderr}")


def make(folder):
    """The three reports: the folder of each, by its name."""
    (folder / "grid.toml").write_text(GRID)
    run("experiment", "run", "grid.toml", "--out", "grid", cwd=folder)
    run("experiment", "report", "grid", cwd=folder)
    ladder = ROOT / "docs" / "experiments" / "kuhn_ladder.toml"
    run("experiment", "run", ladder, "--deals", "6", "--out", "ladder", cwd=folder)
    run("experiment", "exploit", ladder, "--deals", "6", "--out", "ladder", cwd=folder)
    run("experiment", "report", "ladder", "--unit", "25", cwd=folder)
    samplers = [word for name in ("hyperplay:enumerate=off", "hyperplay12", "bootstrap") for word in ("--sampler", name)]
    measured = ["--particles", "4,16,64", "--replicates", "40", "--steps", "4", "--seed", "1", "--out", "belief"]
    run("belief", "krieg_tictactoe_3x3", *samplers, *measured, cwd=folder)
    return {name: folder / name for name in ("grid", "ladder", "belief")}


class Browser:
    """Headless Chromium, spoken to by its own protocol."""

    def __init__(self, chromium, profile):
        import websocket

        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-allow-origins=*"]
        ports = ["--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"]
        self.process = subprocess.Popen([chromium, *arguments, *ports], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        said = pathlib.Path(profile) / "DevToolsActivePort"
        for _ in range(300):
            if said.exists() and len(said.read_text().splitlines()) == 2:
                break
            time.sleep(0.1)
        port = said.read_text().splitlines()[0]
        pages = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json"))
        address = next(page["webSocketDebuggerUrl"] for page in pages if page["type"] == "page")
        self.socket = websocket.create_connection(address, timeout=60)
        self.count = 0

    def ask(self, method, **parameters):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.count:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]

    def value(self, script):
        asked = {"expression": f"(async () => {{{script}}})()", "awaitPromise": True, "returnByValue": True}
        result = self.ask("Runtime.evaluate", **asked)
        if "exceptionDetails" in result:
            sys.exit(str(result["exceptionDetails"]))
        return result["result"].get("value")

    def open(self, address, width, scheme):
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.size(width, 900)
        self.ask("Page.navigate", url=address)
        self.value("while (document.readyState !== 'complete') await new Promise(done => setTimeout(done, 20));")
        self.value("await document.fonts.ready;")

    def size(self, width, height):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot")["data"]))

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait()


def check_pages(pages, folder, chromium):
    faults = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(chromium, profile)
        try:
            for name, page in pages.items():
                for width in WIDTHS:
                    for scheme in SCHEMES:
                        browser.open((page / "report.html").as_uri(), width, scheme)
                        faults += [f"{name}, {width}, {scheme}: {fault}" for fault in browser.value(ASKED)]
                        high = browser.value("return document.documentElement.scrollHeight;")
                        browser.size(width, min(high, 12_000))
                        browser.picture(folder / f"{name}-{width}-{scheme}.png")
        finally:
            browser.close()
    return faults


def check_svgs(pages, folder, chromium):
    """Whether each SVG file is XML and a browser shows its own font."""
    faults = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(chromium, profile)
        try:
            for name, page in pages.items():
                for svg in sorted((page / "figures").glob("*.svg")):
                    xml.etree.ElementTree.parse(svg)
                    browser.open(svg.as_uri(), WIDTHS[1], "light")
                    fonts = browser.value("return [...document.fonts].map(font => font.family + ' ' + font.status);")
                    if len(fonts) != 1 or not fonts[0].endswith(" loaded"):
                        faults.append(f"{name}, {svg.name}: {fonts}")
                    browser.picture(folder / f"{name}-{svg.stem}.png")
        finally:
            browser.close()
    return faults


def check_pdfs(pages):
    """Whether each PDF has its font inside, and the width of a column or of two."""
    faults = []
    for page in pages.values():
        for pdf in sorted((page / "figures").glob("*.pdf")):
            fonts = subprocess.run(["pdffonts", pdf], capture_output=True, text=True, check=True).stdout.splitlines()[2:]
            if not fonts or any("yes yes" not in font for font in fonts):
                faults.append(f"{pdf.name}: {fonts}")
            said = subprocess.run(["pdfinfo", pdf], capture_output=True, text=True, check=True).stdout
            size = next(line for line in said.splitlines() if line.startswith("Page size"))
            width = float(size.split()[2]) * 25.4 / 72
            if min(abs(width - 85), abs(width - 178)) > 0.5:
                faults.append(f"{pdf.name}: {width:.1f} mm wide")
    return faults


def main():
    try:
        import websocket  # noqa: F401
    except ImportError:
        return print("left out: there is no module websocket (pip install websocket-client)")
    for tool in ("pdffonts", "pdfinfo"):
        if not shutil.which(tool):
            return print(f"left out: there is no {tool} (poppler-utils)")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium:
        return print("left out: there is no chromium")
    if not PROGRAM.exists():
        sys.exit(f"{PROGRAM} is not there: cargo build --release")
    given = sys.argv[1:]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(given[0] if given else temporary).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("grid", "ladder", "belief"):
            shutil.rmtree(folder / name, ignore_errors=True)
        pages = make(folder)
        faults = check_pages(pages, folder, chromium) + check_svgs(pages, folder, chromium) + check_pdfs(pages)
    for fault in faults:
        print(fault)
    views = len(WIDTHS) * len(SCHEMES)
    print(f"{len(pages)} pages, {views} views each: {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
