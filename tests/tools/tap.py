"""One line a test case (TAP), with what failed under it: what every Python suite prints."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHOWN = 12      # problems of one case; more are counted


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def case(self, name, problems=()):
        """A case passes when it has no problem. `problems`: sentences that name the place and what is wrong."""
        problems = list(problems)
        self.count += 1
        self.failed += bool(problems)
        print(f"{'not ok' if problems else 'ok'} {self.count} - {name}")
        for line in problems[:SHOWN]:
            print(f"#   {line}")
        if len(problems) > SHOWN:
            print(f"#   and {len(problems) - SHOWN} more")
        sys.stdout.flush()
        return not problems

    def end(self):
        print(f"1..{self.count}")
        sys.exit(1 if self.failed or not self.count else 0)


def files(*suffixes, below=""):
    """Files of the repository with these suffixes (all when none is given), but for build folders and git's own."""
    found = []
    for path in sorted((ROOT / below).rglob("*")):
        parts = path.relative_to(ROOT).parts
        hidden = any(p.startswith("build") or p in (".git", "__pycache__") for p in parts[:-1])
        if path.is_file() and not hidden and parts[-1] != ".git" and (not suffixes or path.suffix in suffixes):
            found.append(path)
    return found


def name_of(path):
    return str(path.relative_to(ROOT))
