"""Runs the commands that documents show, and compares what they print with what the documents say.

    scripts/guide.py PROGRAM FILE.md...

A block ```sh is a script. The blocks of a file run in order, in a temporary folder with `worlds` and `sweeps` of
this checkout. A block ```sh,no_run needs what a test has not, such as root. A block ```text,output or ```json,output
has what the block before it prints, with both streams in their order: … stands for the rest of a line, a line … for any
lines, and numbers with a unit of time are not compared. A command that opens a window runs on a display of its
own, and is interrupted after some seconds. Relative links have to lead to files.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Placed before PATH. What is no command of the program without a window opens one.
JOSTLE = r"""#!/usr/bin/env bash
case ${1:-} in
run | bench | sweep | record | scenes | info | verify | check | man | completions | --version | --help)
    exec "$GUIDE_PROGRAM" "$@" ;;
esac
status=0
said=$(DISPLAY=$GUIDE_DISPLAY timeout --preserve-status --signal=INT 4 "$GUIDE_PROGRAM" "$@" --size 320x180 2>&1) || status=$?
[[ $status == 130 && $said != *'no window'* && $said != *'no display'* ]] && exit
printf 'no window, status %s: jostle %s\n%s\n' "$status" "$*" "$said" >&2
exit 1
"""

FENCE = re.compile(r"^```(\S*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
TIME = re.compile(r"\d[\d,.]*(?= ?(?:ns|µs|ms|s|min|h|(?:frames|steps)/s)\b)")


def blocks(text):
    """Scripts of a document, each with its line, whether it runs, and what it prints, if the document says so."""
    found = []
    for match in FENCE.finditer(text):
        kind, _, mark = match[1].partition(",")
        if kind == "sh":
            line = text.count("\n", 0, match.start()) + 1
            found.append([line, match[2], mark != "no_run", None])
        elif mark == "output":
            if not found or found[-1][3] is not None or not found[-1][2]:
                raise ValueError(f"an output without a command: {match[2]}")
            found[-1][3] = match[2]
    return found


def same(expected, printed):
    """True if a command printed what a document says."""

    def pattern(line):
        parts = TIME.sub("\0", " ".join(line.split())).split("…")
        return ".*".join(re.escape(part) for part in parts)

    lines = [line for line in expected.splitlines()]
    whole = "".join(r"(?:.*\n)*?" if line.strip() == "…" else pattern(line) + r"\n" for line in lines)
    plain = "".join(TIME.sub("\0", " ".join(line.split())) + "\n" for line in printed.splitlines())
    return re.fullmatch(whole, plain) is not None


def broken_links(path, text):
    """Relative links of a document that lead nowhere."""
    prose = FENCE.sub("", text)
    links = [link for link in LINK.findall(prose) if "://" not in link]
    return [link for link in links if not (path.parent / link).exists()]


def run(path, env):
    """Runs the blocks of a document; returns the number of them, and what is wrong."""
    text = path.read_text()
    faults = [f"{path}: the link {link} leads nowhere" for link in broken_links(path, text)]
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in ["worlds", "sweeps"]:
            Path(folder, name).symlink_to(ROOT / name)
        for line, script, runs, output in blocks(text):
            if not runs:
                continue
            count += 1
            ended = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", script],
                cwd=folder,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            if ended.returncode:
                faults.append(f"{path}:{line}: status {ended.returncode}\n{script}\n{ended.stdout}")
            elif output is not None and not same(output, ended.stdout):
                faults.append(f"{path}:{line}: it prints\n{ended.stdout}\nand not\n{output}")
    return count, faults


def main():
    program, *files = sys.argv[1:]
    reader, writer = os.pipe()
    display = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", "800x600x24", "-nolisten", "tcp"],
        pass_fds=[writer],
        stderr=subprocess.DEVNULL,
    )
    os.close(writer)
    try:
        number = os.read(reader, 16).decode().strip()
        if not number:
            sys.exit("Xvfb does not start: apt-get install xvfb")
        with tempfile.TemporaryDirectory() as home:
            command = Path(home, "jostle")
            command.write_text(JOSTLE)
            command.chmod(0o755)
            env = {
                name: value
                for name, value in os.environ.items()
                if name not in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"]
            }
            env |= {
                "PATH": f"{home}:{env['PATH']}",
                "HOME": home,
                "XDG_CONFIG_HOME": home,
                "NO_COLOR": "1",
                "GUIDE_PROGRAM": str(Path(program).resolve()),
                "GUIDE_DISPLAY": f":{number}",
            }
            faults = []
            for file in files:
                start = time.monotonic()
                count, found = run(Path(file), env)
                faults += found
                print(f"{file}: {count} blocks, {time.monotonic() - start:.1f} s", flush=True)
    finally:
        display.send_signal(signal.SIGTERM)
        display.wait()
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
