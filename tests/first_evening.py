"""A first evening, driven through a terminal: a rulesheet is written, checked and mended, its states are looked at, it is
played by a person, and the match is watched again.

    python3 tests/first_evening.py target/release/hyperplay

The script plays the person: it types what a person would type, waits for the prompts as a person would, and prints all that the
terminal shows. It fails if a prompt does not come, if an exit code is another one, or if the terminal is left in a bad state. It needs
nothing but Python and a system with pseudo-terminals.
"""

import os
import pathlib
import pty
import re
import select
import signal
import struct
import sys
import tempfile
import termios
import fcntl
import time

PROGRAM = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "target/release/hyperplay")
PAGE = pathlib.Path(__file__).parent.parent / "docs/tutorial/1-rulesheet.md"
PATIENCE = 60.0


class Terminal:
    """A command in a terminal of 80 columns."""

    def __init__(self, arguments):
        print(f"$ hyperplay {' '.join(arguments)}", flush=True)
        self.seen = ""
        self.child, self.master = pty.fork()
        if self.child == 0:
            os.environ["NO_COLOR"] = "1"
            os.environ["TERM"] = "xterm"
            os.execv(PROGRAM, [PROGRAM, *arguments])
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def read(self, deadline):
        """What the terminal shows next; nothing at its end."""
        ready, _, _ = select.select([self.master], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise SystemExit(f"\nnothing more came; waited after: {self.seen[-200:]!r}")
        try:
            text = os.read(self.master, 65536).decode()
        except OSError:
            return ""
        sys.stdout.write(text.replace("\r", ""))
        sys.stdout.flush()
        return text.replace("\r", "")

    def wait_for(self, pattern):
        """Reads until the pattern is seen behind what was waited for before."""
        deadline = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, self.seen)):
            text = self.read(deadline)
            if not text:
                raise SystemExit(f"\nit ended before {pattern!r}")
            self.seen += text
        self.seen = self.seen[found.end():]
        return found

    def type(self, line):
        os.write(self.master, (line + "\n").encode())

    def end(self, code):
        """Reads to the end; the command must end with this exit code."""
        deadline = time.monotonic() + PATIENCE
        rest = ""
        while text := self.read(deadline):
            rest += text
        _, status = os.waitpid(self.child, 0)
        os.close(self.master)
        ended = os.waitstatus_to_exitcode(status)
        if ended != code:
            raise SystemExit(f"\nit ended with {ended}, not with {code}")
        print(f"[exit code {ended}]\n", flush=True)
        return self.seen + rest


def run(line, code=0):
    return Terminal(line.split()).end(code)


def must(holds, what):
    if not holds:
        raise SystemExit(f"\nnot so: {what}")


def evening():
    # The rules stand in the tutorial; its mistakes are mended one by one.
    rules = re.search(r"cat > treasure\.kif <<'END'\n(.*?)END\n", PAGE.read_text(), re.S).group(1)
    sheet = pathlib.Path("treasure.kif")
    sheet.write_text(rules)
    print(f"(wrote treasure.kif, {len(rules.splitlines())} lines)\n")
    said = run("check treasure.kif", 1)
    must("?y" in said and "did you mean `less`" in said, "check names both mistakes")
    rules = rules.replace("(dig ?x ?z)", "(dig ?x ?y)").replace("(les ", "(less ")
    sheet.write_text(rules)
    print("(mended two lines)\n")
    said = run("check treasure.kif --simulate 20 --seed 1", 1)
    must("digger has no legal move" in said, "simulation finds the missing rule")
    sheet.write_text(rules + "(<= (legal ?role wait) (role ?role) (not (true (turn ?role))))\n")
    print("(added the rule for wait)\n")
    must("fault" not in run("check treasure.kif --simulate 20 --seed 1"), "no fault is left")
    run("inspect treasure.kif")

    match = Terminal("match treasure.kif digger=human pirate=auto --seed 3 --transcript evening.jsonl".split())
    match.wait_for(r"digger> ")
    match.type("help")
    match.wait_for(r"digger> ")
    match.type("?")
    match.wait_for(r"9 histories possible")
    match.wait_for(r"digger> ")
    match.type("nowhere")
    match.wait_for(r"no move contains 'nowhere'")
    match.wait_for(r"digger> ")
    match.type("b 2")
    match.wait_for(r"press Enter to do \(dig b 2\)")
    match.wait_for(r"digger> ")
    match.type("")
    match.wait_for(r"you do \(dig b 2\)")
    # Then whatever is still possible, in the order of the list.
    for _ in range(2):
        match.wait_for(r"digger> ")
        match.type("hint")
        would = match.wait_for(r"would do (\(dig \w \d\))").group(1)
        match.wait_for(r"digger> ")
        match.type(would)
        if "over" in match.wait_for(r"(the match is over|step \d\n)").group(1):
            break
    match.end(0)
    said = run("replay evening.jsonl")
    must("hide" in said, "the replay shows what was hidden")
    must("1 of 1 transcripts agree" in run("verify evening.jsonl"), "the transcript verifies")

    # Ctrl-C at the prompt ends the program, and so does leaving.
    match = Terminal("match treasure.kif digger=human --seed 3".split())
    match.wait_for(r"digger> ")
    os.kill(match.child, signal.SIGINT)
    match.end(130)
    match = Terminal("match treasure.kif digger=human --seed 3".split())
    match.wait_for(r"digger> ")
    match.type("quit")
    match.end(130)
    # What is typed when the time is up is not taken for the next answer, not even without its Enter.
    match = Terminal("match tictactoe x=human o=random --seed 1 --startclock 1 --playclock 1".split())
    match.wait_for(r"x \(\d s left\)> ")
    os.write(match.master, b"3")
    match.wait_for(r"the time is up")
    match.wait_for(r"x \(\d s left\)> ")
    match.type("")
    match.wait_for(r"type the number of a move")
    match.type("quit")
    match.end(130)
    # Two persons: the screen is cleared between them.
    match = Terminal("match kuhn_poker alice=human bob=human --seed 4".split())
    match.wait_for(r"turn of alice; press Enter")
    match.type("")
    match.wait_for(r"alice> ")
    match.type("bet")
    match.wait_for("\x1b\\[2J")
    match.wait_for(r"turn of bob; press Enter")
    match.type("")
    match.wait_for(r"bob> ")
    match.type("fold")
    match.end(0)


with tempfile.TemporaryDirectory() as folder:
    PAGE = PAGE.resolve()
    os.chdir(folder)
    evening()
print("the evening went as it should")
