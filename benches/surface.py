#!/usr/bin/env python3
"""What a person meets: programs, the names that they answer to, commands, flags, megabytes, the README's words.

    benches/surface.py FOLDER [README]

FOLDER holds the programs of a build, this one's or an older one's. Commands and flags are those that the help
shows, --help and --version left out; a flag that several commands of a program take counts once for it.
"""
import os
import pathlib
import re
import subprocess
import sys

HEADINGS = ("The night", "The morning", "Look deeper", "Set up")


def shown(words):
    done = subprocess.run([*words, "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.stdout if done.returncode == 0 else ""


def flags(text):
    return set(re.findall(r"^\s+(?:-\w, )?--([a-z][\w-]*)", text, re.M)) - {"help", "version"}


def commands(text):
    found = []
    for heading in ("Commands", *HEADINGS):
        for block in re.findall(rf"^{heading}:\n((?:  .*\n|\n(?=  ))+)", text, re.M):
            for line in block.splitlines():
                if line.startswith("  also "):
                    found += line[7:].split(", ")
                elif named := re.match(r"  ([a-z][\w-]*)", line):
                    found.append(named[1])
    return [name for name in dict.fromkeys(found) if name != "help"]


def walk(words):
    """Commands below these words, and the flags of all of them."""
    text = shown(words)
    below, taken = 0, flags(text)
    for name in commands(text):
        more = walk([*words, name])
        below += 1 + more[0]
        taken |= more[1]
    return below, taken


folder = pathlib.Path(sys.argv[1])
names = [path for path in folder.iterdir() if path.is_file() and os.access(path, os.X_OK) and "." not in path.name]
programs = [path for path in names if not path.is_symlink()]
walked = [walk([str(path)]) for path in sorted(names)]
print(f"programs {len(programs)}, names {len(names)}")
print(f"commands {sum(below for below, _ in walked)}")
print(f"flags {sum(len(taken) for _, taken in walked)}")
print(f"megabytes {sum(path.stat().st_size for path in programs) / 1e6:.1f}")
if len(sys.argv) > 2:
    print(f"words of the README {len(pathlib.Path(sys.argv[2]).read_text().split())}")
