#!/usr/bin/env python3
"""Shortens folded stacks of a step for a flame graph: from stdin to stdout.

Keeps what runs within a step, names kernels by their task, and drops threads, closures, type arguments and the recursion of
parallel loops. See docs/guide/measuring.md.
"""

import re
import sys

# Frames between a phase and its work.
BETWEEN = re.compile(r"\{closure#\d+\}$|^(?:parallel|rayon|core|std|alloc)\b")


def without_arguments(name):
    """A path without its type arguments: `a::<B<C>>::d` is `a::d`."""
    out, depth = "", 0
    for at, char in enumerate(name):
        if char == "<":
            depth += 1
        elif char == ">" and name[at - 1] != "-":
            depth -= 1
        elif depth == 0:
            out += char
    return out.replace("::::", "::").strip(":")


def short(name):
    name = name.replace("jostle::", "")
    kernel = re.match(r"simd::(?:\w+::)*\w+::<(?:\w+::)*(\w+)", name)
    if kernel:
        return kernel[1]
    method = re.match(r"<([\w:]+)(?:<[^ ]*>)?(?: as [^>]*(?:<.*?>)?)?>::(.*)", name)
    if method:
        name = f"{method[1]}::{method[2]}"
    return "::".join(without_arguments(name).split("::")[-2:])


def main():
    sums = {}
    for line in sys.stdin:
        stack, _, count = line.rstrip().rpartition(" ")
        frames = stack.split(";")
        starts = [at for at, frame in enumerate(frames) if "Sim>::step_with" in frame]
        if not starts:
            continue
        kept = ["Sim::step"]
        for frame in frames[starts[0] + 1 :]:
            name = frame.replace("jostle::", "").lstrip("<")
            if not BETWEEN.search(name) and short(frame) != kept[-1]:
                kept.append(short(frame))
        key = ";".join(kept)
        sums[key] = sums.get(key, 0) + int(count)
    for key in sorted(sums):
        print(key, sums[key])


main()
