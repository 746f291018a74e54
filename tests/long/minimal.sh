#!/bin/sh
# No sync of a large plan can go: every one of them is tried, or 500 drawn evenly.
set -u
here=$(dirname "$0")
requests=$(python3 - "$here" <<-'END'
	import json, os, pathlib, subprocess, sys
	sys.path.insert(0, sys.argv[1])
	from big import LOGS, ROOT, graph
	for name in ("rand_1k", "rand_10k", "llm_80", "par4_4k"):
	    print(graph(name))
	for path in sorted((ROOT / "tests/data/onnx").glob("*.onnx")):
	    for cluster in ("merge", "none"):
	        out = LOGS / f"four-streams-{path.stem}-{cluster}.json"
	        subprocess.run([os.environ["STREAMCTL"], "convert", path, "-o", out], check=True)
	        request = json.loads(out.read_text())
	        request["options"] = {"max_parallel_num": {"AIcoreEngine": 4}, "cluster": cluster}
	        out.write_text(json.dumps(request))
	        print(out)
END
) || exit 1
# shellcheck disable=SC2086  # a list of paths without blanks
exec "$BUILD/tests/property/minimal" --draw 500 $requests
