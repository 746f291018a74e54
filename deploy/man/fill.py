#!/usr/bin/env python3
"""Writes what the programs say of themselves into manual pages and completions.

usage: fill.py [--check] BUILD   --check: nothing is written; prints what is not as it should be, status 1 if anything is not

Between a line that ends in `begin NAME` and one that ends in `end NAME` stands what this program puts there: commands and
flags of streamctl and streamd by their --help, settings by streamd --print-config. All else is written by hand.
"""
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TARGETS = sorted(HERE.glob("*.[1-8]")) + sorted((HERE.parent / "completion").iterdir())


def output(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


def rows(text):
    """[term, meaning] of each line that is indented by two; deeper lines go on with the one before."""
    found = []
    for line in text.split("\n"):
        split = re.match(r"  (\S.*?)(?:  +(\S.*))?$", line)
        if split and not line.startswith("   "):
            found.append([split[1], split[2] or ""])
        elif line.startswith("     ") and found:
            found[-1][1] += " " + line.strip()
    return found


def commands_of(text):
    """[command, arguments, meaning]; the column of arguments may run into the meaning by one blank."""
    found = []
    for line in text.split("\n\n")[1].split("\n"):
        name, rest = re.match(r"  (\S+) *(.*)", line).groups()
        column = re.match(r"  \S+ +(\S.*?)(?:  +| (?=[a-z]+ ))(\S.*)", line) if re.match(r"  \S+ +(?:[A-Z\[-]|\w+\|)", line) else None
        found.append([name, *(column.groups() if column else ("", rest))])
    return found


def settings_of(text):
    """[key, default, meaning, read again on SIGHUP]."""
    found, meaning = [], ""
    for line in text.split("\n"):
        setting = re.match(r"#([a-z_]+\.[a-z_]+) = ?(.*)", line)
        if setting:
            found.append([setting[1], setting[2], meaning.removesuffix(" *"), meaning.endswith(" *")])
        meaning = line[2:] if line.startswith("# ") else ""
    return found


def flag_words(table):
    """-o, --output FILE -> ["-o", "--output"]."""
    return [word for term, _ in table for word in re.findall(r"(?<!\S)-{1,2}[a-z][a-z-]*", term)]


def roff(text):
    return re.sub(r"(?m)^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"))


def terms(table):
    return "".join(f".TP\n.B {roff(term)}\n{roff(meaning)}.\n" for term, meaning in table)


def sections(build):
    control, daemon = output(f"{build}/clients/streamctl", "--help"), output(f"{build}/daemon/streamd", "--help")
    commands, flags = commands_of(control), rows(control.split("\n\n")[2])
    run_flags = rows(control.split("\n\n")[3])
    options, settings = rows(daemon.split("Settings, with")[0]), settings_of(output(f"{build}/daemon/streamd", "--print-config"))
    first = lambda found: " ".join(row[0] for row in found)
    return {
        "commands": terms([f"{name} {arguments}".strip(), meaning] for name, arguments, meaning in commands),
        "flags": terms(flags),
        "run-flags": terms(run_flags),
        "options": terms(options),
        "settings": "".join(f".TP\n.B {roff(key)}\n{roff(meaning[0].upper() + meaning[1:])}.\nDefault: {roff(default) if default else 'empty'}."
                            + ("\nRead again on SIGHUP.\n" if again else "\n") for key, default, meaning, again in settings),
        "bash-commands": f'\tlocal commands="{first(commands)}"\n',
        "bash-flags": f'\tlocal flags="{" ".join(dict.fromkeys(flag_words(flags + run_flags)))}"\n',
        "bash-options": f'\tlocal options="{" ".join(flag_words(options))}"\n',
        "bash-settings": f'\tlocal settings="{first(settings)}"\n',
        "zsh-commands": "\tcommands=(\n" + "".join(f"\t\t'{name}:{meaning.replace(chr(39), chr(39) * 2)}'\n" for name, _, meaning in commands) + "\t)\n",
        "zsh-settings": f"\tsettings=({first(settings)})\n",
    }


def filled(text, section):
    def put(found):
        if found[2] not in section:
            sys.exit(f"there is no section {found[2]}")
        return found[1] + section[found[2]] + found[4]
    return re.sub(r"(?ms)^((?:\.\\\"|[ \t]*#) begin (\S+)\n)(.*?)^((?:\.\\\"|[ \t]*#) end \2$)", put, text)


def main():
    check, build = "--check" in sys.argv[1:], sys.argv[-1]
    section, stale = sections(build), []
    for path in TARGETS:
        text = path.read_text()
        now = filled(text, section)
        if now != text:
            stale.append(path.name)
            if not check:
                path.write_text(now)
    for name in stale:
        print(f"{name} {'is not what the programs say: run deploy/man/fill.py ' + build if check else 'is written anew'}")
    sys.exit(1 if check and stale else 0)


if __name__ == "__main__":
    main()
