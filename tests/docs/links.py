"""Every link of every page in the tree leads somewhere: links.py ROOT. A link to a heading (page.md#heading) wants that heading."""

import os
import re
import subprocess
import sys

root = sys.argv[1]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
passed = failed = 0


def text_of(path):
    """Without listings and code, which have brackets of their own."""
    with open(path) as file:
        text = re.sub(r"^```.*?^```$", "", file.read(), flags=re.S | re.M)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(path):
    with open(path) as file:
        heads = re.findall(r"^#+ (.*)$", file.read(), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=root, text=True, stdout=subprocess.PIPE)
pages = listed.stdout.split() if listed.returncode == 0 else []
if not pages:
    pages = [os.path.relpath(os.path.join(at, name), root) for at, _, names in os.walk(root) for name in names if name.endswith(".md")]
for page in pages:
    for link in LINK.findall(text_of(os.path.join(root, page))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = os.path.normpath(os.path.join(root, os.path.dirname(page), path)) if path else os.path.join(root, page)
        fine = os.path.exists(target) and (not anchor or anchor in anchors(target))
        passed, failed = passed + fine, failed + (not fine)
        if not fine:
            print(f"FAILED {page}: {link} leads nowhere")
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
