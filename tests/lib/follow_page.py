"""Does what a page of the documentation says: follow_page.py PAGE FOLDER, with the commands found on PATH.

In the order of the page: a block behind a line with a file's name in back quotes and a colon is written to that file in FOLDER; each line of
a block "sh" is executed there and must succeed, or fail where it ends in "# exit status N"; each line of a block "text" must be among
what the commands of the block before have said: words equal, numbers within a quarter of what they are now, "..." for lines left out. Prints
what failed, then "N passed, N failed". A command whose first word is in $SKIP (separated by blanks), and what rests on it, is left out: the
rest of the page is skipped, and said so.
"""

import os
import re
import subprocess
import sys

NUMBER = re.compile(r"\d+(?:\.\d+)?")


def blocks(page):
    """Pairs of kind and lines; kind is "sh", "text" or "file NAME"."""
    name, kind, lines = None, None, []
    for line in page.read().splitlines():
        if kind is None and line.startswith("```"):
            kind, lines = line[3:] or "text", []
            if kind not in ("sh", "text"):
                kind = f"file {name}" if name else "listing"
        elif kind is not None and line.startswith("```"):
            yield kind, lines
            kind, name = None, None
        elif kind is not None:
            lines.append(line)
        else:
            found = re.fullmatch(r"`([^`]+)`:", line)
            name = found[1] if found else name if not line else None


def same(expected, got):
    """Words equal, numbers within a quarter or two of the last place."""
    a, b = expected.split(), got.split()
    if len(a) != len(b):
        return False
    for x, y in zip(a, b):
        if NUMBER.sub("#", x) != NUMBER.sub("#", y):
            return False
        for m, n in zip(map(float, NUMBER.findall(x)), map(float, NUMBER.findall(y))):
            if abs(m - n) > max(0.25 * abs(n), 2):
                return False
    return True


def main():
    page, folder = sys.argv[1], sys.argv[2]
    skip = os.environ.get("SKIP", "").split()
    passed = failed = 0
    said = ""

    def count(fine, what, shown=""):
        nonlocal passed, failed
        passed, failed = passed + bool(fine), failed + (not fine)
        if not fine:
            print(f"FAILED {what}\n{shown[-1500:]}")

    with open(page) as text:
        for kind, lines in blocks(text):
            if kind.startswith("file "):
                path = os.path.join(folder, kind[5:])
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w") as file:
                    file.write("\n".join(lines) + "\n")
            elif kind == "sh":
                said = ""
                for line in lines:
                    if line.split()[0] in skip:
                        print(f"skipped: the rest of {os.path.basename(page)} (no {line.split()[0]} here)")
                        print(f"{passed} passed, {failed} failed")
                        return failed != 0
                    status = re.search(r"# exit status (\d+)$", line)
                    done = subprocess.run(line, shell=True, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                    said += done.stdout.replace(folder + "/", "")
                    count(done.returncode == (int(status[1]) if status else 0), line, done.stdout + f"exit status {done.returncode}\n")
            elif kind == "text":
                have = said.splitlines()
                for line in lines:
                    if line.strip() not in ("", "..."):
                        count(any(same(line, other) for other in have), f"the page says: {line}", said)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
