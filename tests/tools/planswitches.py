"""What each label of a StreamSwitchN leads to, as plancheck.py sees it: list entry i is the stream of label i."""
from plangraph import task_count


def label_of(graph, name):
    """The stream label of a node; None where a user's label takes part in it, which is more than is looked at here."""
    attrs = graph.nodes[name].get("attrs", {})
    return None if attrs.get("_user_stream_label") else attrs.get("_stream_label", "")


def wrong(graph, plan):
    """A line for each entry of a StreamSwitchN that leads elsewhere than to the nodes with its label, or to one stream too few."""
    placed = {n["name"]: n for n in plan["nodes"]}
    started = {a["node"]: a["streams"] for a in plan.get("activations", [])}
    logical = {s["id"]: s["logical_id"] for s in plan["streams"]}
    inserted = {p["stream"]: n for n, p in placed.items() if n not in graph.nodes}
    for node, about in graph.nodes.items():
        if about["op_type"] != "StreamSwitchN" or task_count(about) <= 0 or graph.graph_of[node] in graph.apart:
            continue
        labels, streams = graph.attr(node, "_active_label_list") or [], started.get(node, [])
        if len(labels) != len(streams) or len(set(streams)) != len(streams):
            yield f"{node} starts the streams {streams} by {len(labels)} labels"
            continue
        near = graph.members[graph.graph_of[node]]
        if any(label_of(graph, m) is None for m in near):
            continue
        for k, (label, stream) in enumerate(zip(labels, streams)):
            lanes = {placed[m]["logical_stream"] for m in near if label_of(graph, m) == label and placed[m]["logical_stream"] >= 0}
            leads = started.get(inserted[stream], []) if stream in inserted else [stream]
            if stream in inserted and inserted[stream] != f"{node}_StreamActive_{k}":
                yield f"{node}: entry {k} of its streams is that of {inserted[stream]}"
            if {logical[s] for s in leads} != lanes or not lanes <= set(leads):
                yield f"{node}: label {label} leads to streams {leads}, its nodes are on logical streams {sorted(lanes)}"
