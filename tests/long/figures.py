#!/usr/bin/env python3
"""Wall clock of planning beside the real peer's figures (bench/peer_figures.txt), and of decoding beside protobuf-c's.

The peer's figures were taken on another machine of this size; its sum of sorting, assigning, syncs and split is compared with our planning
and proving together.
"""
import collections

from big import ROOT, as_bytes, bench, graph
from tap import Tap

CASES = ("chain_1k", "chain_10k", "chain_100k", "alt_aic_hccl_10k", "par4_4k", "par4_20k", "rand_1k", "rand_5k", "rand_10k", "rand_30k", "rand_aic_100k",
         "train_500", "train_2000", "llm_32", "llm_80", "llm_400")


def peer_rows():
    lines = (ROOT / "tests/bench/peer_figures.txt").read_text().splitlines()
    columns = [line for line in lines if line.startswith("#")][-1][2:].split()
    Row = collections.namedtuple("Row", columns)
    return {row.case: row for row in (Row(*line.split()) for line in lines if not line.startswith("#"))}


def main():
    tap, peer, slower = Tap(), peer_rows(), []
    print("# case                nodes   plan ms verify ms   peer ms  times   syncs peer's  arena MB peer's RSS MB (the peer's syncs: without those of split streams)")
    for case in CASES:
        mine, theirs = bench("plan_bench", graph(case), 5), peer[case]
        ms = (mine["plan_ns"] + mine["verify_ns"]) / 1e6
        peer_ms = sum(float(v) for v in (theirs.sort_ms, theirs.assign_ms, theirs.sync_ms, theirs.split_ms))
        print(f"# {case:18} {mine['nodes']:7} {mine['plan_ns'] / 1e6:9.2f} {mine['verify_ns'] / 1e6:9.2f} {peer_ms:9.2f} {peer_ms / ms:6.1f} "
              f"{mine['syncs']:7} {theirs.events:>6} {mine['peak_bytes'] / 2 ** 20:9.1f} {theirs.rss_mb:>8}")
        if ms > peer_ms:
            slower.append(f"{case}: {ms:.2f} ms, the peer {peer_ms:.2f} ms")
    tap.case(f"{len(CASES)} graphs are planned and proved in less time than the peer takes to plan them", slower)
    decode = bench("decode_bench", as_bytes(graph("chain_100k")))
    print(f"# decoding {decode['nodes']} nodes ({decode['bytes']} bytes): {decode['decode_ns'] / 1e6:.2f} ms, protobuf-c {decode['protobuf_c_ns'] / 1e6:.2f} ms")
    tap.case(f"decoding takes {decode['share']} of the time of protobuf-c's unpacking", [] if decode["share"] < 1 else ["it is slower"])
    tap.end()


if __name__ == "__main__":
    main()
