#!/usr/bin/env python3
"""Puts the status page together and writes it as C: make.py PAGE STYLE SCRIPT OUTPUT.

With it goes the policy that lets a browser run this style and this script, by their digests, and nothing else, and fetch from the daemon alone.
"""
import base64
import hashlib
import pathlib
import re
import sys

sys.dont_write_bytecode = True     # nothing is left in the source tree
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "clients/formats/html"))
from embed import array, whole


def digest(page, element):
    inside = re.findall(rf"(?s)<{element}>(.*?)</{element}>", page)
    if len(inside) != 1:
        sys.exit(f"the page must have one {element}")
    return base64.b64encode(hashlib.sha256(inside[0].encode()).digest()).decode()


def main():
    page = whole(*sys.argv[1:4])
    page_id = hashlib.sha256(page.encode()).hexdigest()[:16]
    policy = (f"default-src 'none'; script-src 'sha256-{digest(page, 'script')}'; style-src 'sha256-{digest(page, 'style')}'; connect-src 'self'; "
              "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    pathlib.Path(sys.argv[4]).write_text(
        '#include "status_page.h"\n\n' + array("sd_status_page", page.replace("{{id}}", page_id).encode()) +
        f'const size_t sd_status_page_len = sizeof(sd_status_page);\nconst char sd_status_page_policy[] = "{policy}";\n'
        f'const char sd_status_page_id[] = "{page_id}";\n')


if __name__ == "__main__":
    main()
