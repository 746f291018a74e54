#!/usr/bin/env python3
"""Manual pages and completions hold every command, flag, option and setting that there is, and no other.

usage: manual.py BUILD
"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from tap import ROOT, Tap

MAN, COMPLETION = ROOT / "deploy/man", ROOT / "deploy/completion"
BASH = 'source "$1"; shift; COMP_CWORD=$(($# - 1)); COMP_WORDS=("$@"); _"$1"; printf "%s\\n" "${COMPREPLY[@]}"'


def said(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


def words_of(text):
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*(?![\w])", text.replace("\\-", "-")))


def completed(*words):
    return set(subprocess.run(["bash", "-c", BASH, "bash", COMPLETION / "streamctl", *words], capture_output=True, text=True, cwd="/").stdout.split())


def fields(message):
    """Keys of a message of the schema."""
    body = re.search(rf"(?ms)^message {message} \{{(.*?)^\}}", (ROOT / "proto/streamd.proto").read_text())[1]
    return {name for name in re.findall(r"(?m)^  (?:oneof \w+ \{ )?(?:repeated )?[\w.]+ (\w+) = \d+;", body)}


def main():
    tap, build = Tap(), sys.argv[1]
    stale = subprocess.run([sys.executable, MAN / "fill.py", "--check", build], capture_output=True, text=True)
    tap.case("pages and completions say what the programs say", stale.stdout.splitlines() + stale.stderr.splitlines())
    help_text = said(f"{build}/clients/streamctl", "--help")
    flags, page = words_of("\n".join(help_text.split("\n\n")[2:4])), words_of((MAN / "streamctl.1").read_text())
    commands = re.findall(r"(?m)^  ([a-z]+)", help_text.split("\n\n")[1])
    tap.case("streamctl.1 names no flag that there is not", sorted(page - flags - {"-o"}))
    zsh = (COMPLETION / "_streamctl").read_text()
    tap.case("zsh completes every flag", sorted(flag for flag in flags | words_of(said(f"{build}/daemon/streamd", "--help").split("Settings, with")[0])
                                                if f"'{flag}[" not in zsh and f"'*{flag}[" not in zsh and f"{{{flag}," not in zsh and f",{flag}}}" not in zsh))
    tap.case("bash completes commands", sorted(set(commands) - completed("streamctl", "")))
    tap.case("bash completes flags", sorted(flags - completed("streamctl", "plan", "-")))
    formats = re.search(r"--format of plan is (.*), not", subprocess.run([f"{build}/clients/streamctl", "plan", "x", "--format", "?"], capture_output=True, text=True).stderr)[1]
    tap.case("bash completes formats", sorted(set(re.findall(r"\w+", formats)) - {"or"} ^ completed("streamctl", "plan", "--format", "")))
    known = {f"{key}=" for key in fields("Options")}
    tap.case("bash completes options of requests", sorted(completed("streamctl", "plan", "--option", "") - known))
    tap.case("bash completes limits", sorted({f"{key}=" for key in fields("Limits")} ^ completed("streamctl", "plan", "--limit", "")))
    settings = {f"{key}=" for key in re.findall(r"(?m)^#([a-z_]+\.[a-z_]+) =", said(f"{build}/daemon/streamd", "--print-config"))}
    tap.case("bash completes settings", sorted(settings ^ completed("streamd", "--set", "")))
    for text, name in ((COMPLETION / "_streamctl").read_text(), "zsh"), ((COMPLETION / "streamctl").read_text(), "bash"):
        tap.case(f"{name} knows the same options and limits", sorted(word for word in completed("streamctl", "plan", "--option", "") | completed("streamctl", "plan", "--limit", "") if word not in text))
    tap.end()


if __name__ == "__main__":
    main()
