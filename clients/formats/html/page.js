"use strict";
(() => {
const plan = JSON.parse(document.getElementById("plan").textContent);
const SVG = "http://www.w3.org/2000/svg";
const LANE = 30, BAR = 22, AXIS = 24, EDGE = 24;                 // pixels
const CLASSES = 8, ARROWS_MOST = 600, CROWDED = 150, LISTED_MOST = 200, WIDEST = 1.2e7;
const NONE = -1, FLAG_ATTACHED = 1, FLAG_CRITICAL = 2;
const $ = id => document.getElementById(id);
const view = $("view"), space = $("space"), chart = $("chart"), details = $("details");

// ---- the plan as objects ----
const nodes = plan.nodes.map(([name, type, engine, stream, logical, duration, body, inputs, why], id) =>
	({ id, name, type: type < 0 ? "inserted by the planner" : plan.types[type], engine, stream, logical, duration, body, inputs, why, spans: [] }));
const spans = plan.spans.map(([node, stream, begin, end, flags, behind, tie, number], id) =>
	({ id, node, stream, begin, end, attached: !!(flags & FLAG_ATTACHED), critical: !!(flags & FLAG_CRITICAL), behind, tie, number, come: [], go: [] }));
const arrows = plan.arrows.map(([tie, number, cause, from, to, fromStream, toStream, begin, end]) => ({ tie, number, cause, from, to, fromStream, toStream, begin, end }));
const lanes = plan.streams.map(() => []);
const place = [];                                                 // of a span: where in its lane
for (const s of spans) {
	place[s.id] = lanes[s.stream].push(s) - 1;
	nodes[s.node].spans.push(s);
}
for (const a of arrows) {
	if (a.to !== NONE)
		spans[a.to].come.push(a);
	if (a.from !== NONE)
		spans[a.from].go.push(a);
	a.critical = a.to !== NONE && spans[a.to].critical && spans[a.to].behind === a.from && a.from !== NONE && spans[a.to].tie !== 1;
}

// ---- words ----
const time = ns => ns < 1e3 ? `${ns} ns` : ns < 1e6 ? `${+(ns / 1e3).toFixed(1)} us` : `${+(ns / 1e6).toFixed(3)} ms`;
const many = (count, one, more = one + "s") => `${count.toLocaleString("en")} ${count === 1 ? one : more}`;
const pen = document.createElement("canvas").getContext("2d");
pen.font = '11px "DejaVu Sans Mono", Consolas, monospace';
const width = text => pen.measureText(text).width;

/* The text or the last part of its path, cut so that it takes at most `room` pixels; "" when next to nothing of it would be left. */
function cut(text, room) {
	if (width(text) <= room)
		return text;
	const tail = text.slice(text.lastIndexOf("/") + 1);           // what tells names of one scope apart
	if (tail && tail !== text)
		return cut(tail, room);
	const letters = Array.from(text);
	let low = 0, high = letters.length;
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (width(letters.slice(0, middle).join("") + "\u2026") <= room)
			low = middle;
		else
			high = middle - 1;
	}
	return low < 2 ? "" : letters.slice(0, low).join("") + "\u2026";
}

const streamName = id => `stream ${id}${plan.streams[id][2] ? " attached" : ""}${plan.streams[id][3] ? " huge" : ""}`;

// ---- where things are ----
const end = Math.max(plan.end, 1);
let scale = 0, gutter = 160, drawn = 0;
let matches = [], matched = new Set(), at = NONE;                // of the search: nodes
let chosen = null, hovered = null;                               // { node, span }
const room = () => Math.max(view.clientWidth - gutter - EDGE, 50);
const fitting = () => room() / end;
const x = ns => gutter + ns * scale - view.scrollLeft;
const y = stream => AXIS + stream * LANE - view.scrollTop;

function resize() {
	space.style.width = `${gutter + EDGE + end * scale}px`;
	space.style.height = `${AXIS + plan.streams.length * LANE + 4}px`;
}

/* Where the chosen operator is, from the left of the lanes; their middle where it is not seen. */
function middle() {
	const left = chosen && chosen.span ? x((chosen.span.begin + chosen.span.end) / 2) - gutter : -1;
	return left >= 0 && left <= room() ? left : room() / 2;
}

/* Zooms so that what is `pixels` from the left of the lanes stays there. */
function zoom(to, pixels = middle()) {
	const ns = (view.scrollLeft + pixels) / scale;
	scale = Math.min(Math.max(to, fitting()), Math.max(WIDEST / end, fitting()));
	resize();
	view.scrollLeft = ns * scale - pixels;
	redraw();
}

function fit() {
	gutter = Math.min(170, Math.max(90, view.clientWidth * 0.25));
	for (let i = 0; i < 2; i++) {                                 // the first may bring a scroll bar, and so less room
		scale = fitting();
		resize();
	}
	view.scrollLeft = 0;
	redraw();
}

// ---- drawing ----
function put(parent, kind, attributes, text) {
	const element = document.createElementNS(SVG, kind);
	for (const key in attributes)
		element.setAttribute(key, attributes[key]);
	if (text !== undefined)
		element.textContent = text;
	parent.appendChild(element);
	return element;
}

function words(parent, left, top, text, most, kind = "") {
	const shown = cut(text, most);
	if (shown && top > AXIS - 24 && top < chart.clientHeight - 4)
		put(parent, "text", { x: left, y: top, class: kind }, shown);
}

/* The first span of a lane that ends behind `ns`. */
function firstAfter(lane, ns) {
	let low = 0, high = lane.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (lane[middle].end < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

function drawBar(group, s, left, right, top) {
	const node = nodes[s.node], kinds = ["bar", `e${node.engine % CLASSES}`];
	if (s.attached) kinds.push("attached");
	if (s.critical && $("chain").checked) kinds.push(right - left < 5 ? "thin" : "critical");
	if (matched.has(s.node)) kinds.push("match");
	else if (matches.length) kinds.push("dim");
	if (chosen && chosen.span === s) kinds.push("chosen");
	put(group, "rect", { class: kinds.join(" "), x: left, y: top, width: Math.max(right - left, 1), height: BAR, "data-span": s.id });
	const seen = Math.max(left, gutter) + 4, most = Math.min(right, chart.clientWidth) - 4 - seen;
	if (most > 24)
		words(group, seen, top + 15, node.name, most);
}

/* Bars too narrow to be told apart, as one. */
function drawBlock(group, lane, first, last, left, right, top) {
	const inside = lane.slice(first, last + 1);
	const kinds = ["bar", "block"];
	if ($("chain").checked && inside.some(s => s.critical)) kinds.push("critical");
	if (inside.some(s => matched.has(s.node))) kinds.push("match");
	else if (matches.length) kinds.push("dim");
	put(group, "rect", { class: kinds.join(" "), x: left, y: top, width: Math.max(right - left, 1), height: BAR, "data-first": lane[first].id, "data-last": lane[last].id });
	const seen = Math.max(left, gutter) + 4, most = Math.min(right, chart.clientWidth) - 4 - seen;
	if (most > 60)
		words(group, seen, top + 15, many(inside.length, "operator"), most);
}

function drawLane(group, stream) {
	const lane = lanes[stream], top = y(stream) + (LANE - BAR) / 2, right = chart.clientWidth;
	for (let i = firstAfter(lane, view.scrollLeft / scale); i < lane.length && x(lane[i].begin) <= right; i++) {
		const left = x(lane[i].begin);
		let last = i;
		while (last + 1 < lane.length && x(lane[last + 1].end) - x(lane[last].end) < 4 && x(lane[last].end) - x(lane[last].begin) < 4 &&
		       x(lane[last].end) < right && lane[last] !== (chosen && chosen.span))
			last++;
		if (last - i < 2)
			drawBar(group, lane[i], left, x(lane[i].end), top);
		else
			drawBlock(group, lane, i, last, left, x(lane[last].end), top), i = last;
	}
}

function drawGutter(group, stream) {
	const top = y(stream), label = plan.streams[stream][1];
	put(group, "rect", { class: stream % 2 ? "lane odd" : "lane", x: 0, y: top, width: gutter, height: LANE });
	if (top < AXIS)
		return;                                                   // under the axis: half a name would be there
	words(group, 6, top + (label ? 13 : 19), streamName(stream), gutter - 12);
	if (label)
		words(group, 6, top + 26, label, gutter - 12, "soft");
}

function drawAxis(group) {
	put(group, "rect", { class: "paper", x: 0, y: 0, width: chart.clientWidth, height: AXIS });
	let step = 1;
	for (let i = 0; step * scale < 90 && step < end * 2; i++)
		step = [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3);
	for (let ns = Math.ceil(view.scrollLeft / scale / step) * step; ns <= end && x(ns) < chart.clientWidth; ns += step) {
		put(group, "line", { class: "rule", x1: x(ns), x2: x(ns), y1: AXIS - 8, y2: AXIS });
		if (x(ns) + 3 + width(time(ns)) < chart.clientWidth)
			put(group, "text", { class: "soft", x: x(ns) + 3, y: 14 }, time(ns));
	}
}

const belongs = (a, what) => what && what.span && (a.from === what.span.id || a.to === what.span.id);

function isSeen(a) {
	const low = Math.min(a.fromStream, a.toStream), high = Math.max(a.fromStream, a.toStream);
	return y(low) < chart.clientHeight && y(high) + LANE > AXIS && x(a.begin) < chart.clientWidth && x(a.end) > gutter;
}

function drawArrows(group) {
	const all = arrows.filter(isSeen), own = a => belongs(a, chosen) || belongs(a, hovered), chain = a => a.critical && $("chain").checked;
	const shown = !$("syncs").checked ? all.filter(own) : all.length <= ARROWS_MOST ? all : all.filter(a => own(a) || chain(a)).slice(0, ARROWS_MOST);
	const crowded = shown.length > CROWDED;
	for (const a of shown) {
		const x1 = x(a.begin), x2 = x(a.end), y1 = y(a.fromStream) + LANE / 2, y2 = y(a.toStream) + LANE / 2, bend = Math.max((x2 - x1) / 2, 12);
		const kinds = ["arrow", plan.ties[a.tie]];
		if (chain(a)) kinds.push("critical");
		if (own(a)) kinds.push("chosen");
		else if (crowded) kinds.push("crowded");
		put(group, "path", { class: kinds.join(" "), "marker-end": crowded && !own(a) ? "none" : "url(#tip)", d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}` });
	}
	$("summary").dataset.arrows = $("syncs").checked && shown.length < all.length ? `${many(all.length, "sync")} in view, ${shown.length} drawn; zoom in for more` : "";
}

function draw() {
	drawn = 0;
	chart.setAttribute("width", view.clientWidth);
	chart.setAttribute("height", view.clientHeight);
	chart.replaceChildren();
	const tip = put(put(chart, "defs", {}), "marker", { id: "tip", viewBox: "0 0 6 6", refX: 5, refY: 3, markerWidth: 6, markerHeight: 6, orient: "auto" });
	put(tip, "path", { d: "M0 0 6 3 0 6z", fill: "context-stroke" });
	const first = Math.max(Math.floor(view.scrollTop / LANE), 0), last = Math.min(Math.ceil((view.scrollTop + view.clientHeight - AXIS) / LANE), plan.streams.length) - 1;
	const back = put(chart, "g", {}), under = put(chart, "g", {}), bars = put(chart, "g", {}), left = put(chart, "g", {}), top = put(chart, "g", {});
	for (let stream = first; stream <= last; stream++) {
		put(back, "rect", { class: stream % 2 ? "lane odd" : "lane", x: 0, y: y(stream), width: chart.clientWidth, height: LANE });
		drawLane(bars, stream);
	}
	drawArrows(under);
	for (let stream = first; stream <= last; stream++)
		drawGutter(left, stream);
	drawAxis(top);
	summarise();
}

function redraw() {
	if (!drawn)
		drawn = requestAnimationFrame(draw);
}

// ---- details ----
function line(kind, ...parts) {
	const element = document.createElement(kind);
	element.append(...parts);
	return element;
}

function link(span, text) {
	const button = line("button", text === undefined ? nodes[span.node].name : text);
	button.type = "button";
	button.addEventListener("click", () => choose({ node: nodes[span.node], span }, true));
	return button;
}

const syncWords = a => plan.ties[a.tie] === "start" ? "an activation" : `${plan.ties[a.tie]} ${a.number}${a.cause < 0 ? "" : ` (${plan.causes[a.cause]})`}`;

function tellTies(list, span) {
	if (span.behind !== NONE) {
		const before = spans[span.behind], gap = span.begin - before.end;
		const how = span.tie === 1 ? "on the same stream" : span.tie === 4 ? "which starts its stream" : span.tie === 5 ? "which kept what it needs of its engine busy" : `by ${plan.ties[span.tie]} ${span.number}`;
		list.append(line("li", `began ${time(gap)} behind `, link(before), `, ${how}`));
	}
	for (const a of span.come)
		list.append(line("li", `waits, by ${syncWords(a)}, for `, a.from === NONE ? streamName(a.fromStream) : link(spans[a.from])));
	for (const a of span.go)
		list.append(line("li", `is waited for, by ${syncWords(a)}, by `, a.to === NONE ? `the end of ${streamName(a.toStream)}` : link(spans[a.to])));
}

function tellNode({ node, span }) {
	const list = document.createElement("ul"), body = node.body ? `, in body ${plan.graphs[node.body]}` : "";
	const stated = node.duration < 0 ? `its duration is not stated, ${time(plan.assumed)} are assumed` : `${time(node.duration)} are stated`;
	list.append(line("li", `${node.type} on ${plan.engines[node.engine]}${body}`));
	if (span) {
		const label = plan.streams[span.stream][1];
		list.append(line("li", `${streamName(span.stream)}, logical ${plan.streams[span.stream][0]}${label ? `, label ${label}` : ""}${span.attached ? ", its attached part" : ""}`));
		list.append(line("li", `simulated: ${time(span.begin)} to ${time(span.end)}, ${time(span.end - span.begin)}; ${stated}${span.critical ? "; on the critical chain" : ""}`));
		tellTies(list, span);
	} else {
		list.append(line("li", node.stream < 0 ? "launches nothing" : `on stream ${node.stream}, but its body was not chosen in this run`));
	}
	const inputs = node.inputs.map(i => nodes[i]).map(from => from.spans.length ? link(from.spans[0]) : from.name);
	if (inputs.length)
		list.append(line("li", "reads from ", ...inputs.flatMap((input, i) => i ? [", ", input] : [input])));
	for (const why of node.why)
		list.append(line("li", `why: ${why}`));
	if (!plan.explained)
		list.append(line("li", "why it is there: plan with --option explain=true, and the reasons stand here"));
	details.replaceChildren(line("h2", node.name), list);
}

function tellBlock(first, last) {
	const begin = spans[first], finish = spans[last], count = place[last] - place[first] + 1;
	details.replaceChildren(line("h2", many(count, "operator")), line("p", `${streamName(begin.stream)}, ${time(begin.begin)} to ${time(finish.end)}: from `,
		link(begin), " to ", link(finish), "; double-click or zoom in to tell them apart"));
}

function tellHelp() {
	details.replaceChildren(line("p", "Point at an operator, or choose one with the arrow keys while the timeline has the focus. ",
		"Times are simulated on the device model, not measured."));
}

function listChain() {
	const list = document.createElement("ol"), chain = [];
	for (let s = plan.last; s !== NONE; s = spans[s].behind)
		chain.unshift(spans[s]);
	for (const s of chain.slice(0, LISTED_MOST))
		list.append(line("li", link(s), ` ${streamName(s.stream)}, ${time(s.begin)} to ${time(s.end)}`));
	details.replaceChildren(line("h2", `critical chain: ${many(chain.length, "launch", "launches")}, ${time(plan.end)}`), list);
	if (chain.length > LISTED_MOST)
		details.append(line("p", `and ${chain.length - LISTED_MOST} more`));
}

function listStreams() {
	const table = document.createElement("table");
	table.append(line("tr", ...["stream", "label", "logical", "launches", "busy"].map(word => line("th", word))));
	lanes.slice(0, LISTED_MOST).forEach((lane, id) => {
		const busy = lane.reduce((sum, s) => sum + s.end - s.begin, 0), [logical, label] = plan.streams[id];
		const name = lane.length ? link(lane[0], streamName(id)) : streamName(id);
		table.append(line("tr", ...[name, label, logical, lane.length, `${Math.round(100 * busy / end)} %`].map(cell => line("td", cell))));
	});
	details.replaceChildren(table);
	if (lanes.length > LISTED_MOST)
		details.append(line("p", `and ${lanes.length - LISTED_MOST} more`));
}

function summarise() {
	const c = plan.counts, more = $("summary").dataset.arrows;
	$("summary").textContent = `Simulated, not measured: ${many(c.streams, "stream")}, ${many(c.nodes, "operator")}, ${many(spans.length, "launch", "launches")}, ${many(c.syncs, "sync")}, ` +
		`done after ${time(plan.end)}. ${many(plan.assumed_count, "duration")} not stated, ${time(plan.assumed)} assumed. Planner ${plan.planner}.${more ? ` ${more}.` : ""}`;
}

// ---- choosing ----
function show(span) {
	const left = x(span.begin), top = y(span.stream);
	if (left < gutter || left > chart.clientWidth - 40)
		view.scrollLeft = Math.max(span.begin * scale - room() / 3, 0);
	if (top < AXIS || top + LANE > view.clientHeight)
		view.scrollTop = Math.max(span.stream * LANE - view.clientHeight / 3, 0);
}

function choose(what, closer = false) {
	chosen = what;
	if (what && what.span) {
		if (closer && (what.span.end - what.span.begin) * scale < 6)
			zoom(40 / Math.max(what.span.end - what.span.begin, 1));
		show(what.span);
	}
	if (what)
		tellNode(what);
	else
		tellHelp();
	redraw();
}

function search() {
	const text = $("find").value.trim().toLowerCase();
	matches = text ? nodes.filter(n => n.name.toLowerCase().includes(text) || n.type.toLowerCase().includes(text)) : [];
	matched = new Set(matches.map(n => n.id));
	at = NONE;
	$("found").textContent = text ? many(matches.length, "match", "matches") : "";
	redraw();
}

function goTo(step) {
	if (!matches.length)
		return;
	at = (at + step + matches.length + (at === NONE && step < 0 ? 1 : 0)) % matches.length;
	$("found").textContent = `${at + 1} of ${matches.length}`;
	choose({ node: matches[at], span: matches[at].spans[0] || null }, true);
}

/* The span of the next lane in that direction that has any, which runs when the chosen one begins. */
function neighbour(span, step) {
	for (let stream = span.stream + step; stream >= 0 && stream < lanes.length; stream += step) {
		if (lanes[stream].length)
			return lanes[stream][Math.min(firstAfter(lanes[stream], span.begin), lanes[stream].length - 1)];
	}
	return span;
}

function key(event) {
	const span = chosen && chosen.span, lane = span && lanes[span.stream];
	const moves = {
		ArrowRight: () => lane[Math.min(place[span.id] + 1, lane.length - 1)], ArrowLeft: () => lane[Math.max(place[span.id] - 1, 0)],
		ArrowDown: () => neighbour(span, 1), ArrowUp: () => neighbour(span, -1), Home: () => lane[0], End: () => lane[lane.length - 1],
	};
	const zooms = { "+": 1.5, "=": 1.5, "-": 1 / 1.5 };
	if (event.ctrlKey || event.altKey || event.metaKey)
		return;
	if (moves[event.key] && spans.length) {
		const to = span ? moves[event.key]() : spans[0];
		choose({ node: nodes[to.node], span: to }, true);
	} else if (zooms[event.key]) {
		zoom(scale * zooms[event.key]);
	} else if (event.key === "0") {
		fit();
	} else if (event.key === "Escape") {
		choose(null);
	} else {
		return;
	}
	event.preventDefault();
}

// ---- what people do ----
function under(event) {
	const data = event.target.dataset || {};
	if (data.span !== undefined)
		return { node: nodes[spans[data.span].node], span: spans[data.span] };
	return data.first !== undefined ? { first: +data.first, last: +data.last } : null;
}

chart.addEventListener("pointermove", event => {
	const what = under(event), before = hovered;
	hovered = what && what.node ? what : null;
	if (what && what.node)
		tellNode(what);
	else if (what)
		tellBlock(what.first, what.last);
	if ((before && before.span) !== (hovered && hovered.span))
		redraw();
});
chart.addEventListener("pointerleave", () => {
	hovered = null;
	if (chosen)
		tellNode(chosen);
	redraw();
});
chart.addEventListener("click", event => {
	const what = under(event);
	if (!what || what.node)
		choose(what);
});
chart.addEventListener("dblclick", event => {
	const what = under(event);
	if (!what)
		return;
	const from = what.span || spans[what.first], to = what.span || spans[what.last];
	zoom(room() * 0.8 / Math.max(to.end - from.begin, 1));
	view.scrollLeft = from.begin * scale - room() * 0.1;
});
view.addEventListener("wheel", event => {
	if (!event.ctrlKey)
		return;
	event.preventDefault();
	zoom(scale * Math.exp(-event.deltaY / 300), Math.max(event.clientX - view.getBoundingClientRect().left - gutter, 0));
}, { passive: false });
view.addEventListener("scroll", redraw);
view.addEventListener("keydown", key);
$("find").addEventListener("input", search);
$("find").addEventListener("keydown", event => event.key === "Enter" && goTo(event.shiftKey ? -1 : 1));
$("controls").addEventListener("submit", event => event.preventDefault());
$("before").addEventListener("click", () => goTo(-1));
$("after").addEventListener("click", () => goTo(1));
$("in").addEventListener("click", () => zoom(scale * 2));
$("out").addEventListener("click", () => zoom(scale / 2));
$("fit").addEventListener("click", fit);
$("chain").addEventListener("change", redraw);
$("syncs").addEventListener("change", redraw);
$("list-chain").addEventListener("click", listChain);
$("list-streams").addEventListener("click", listStreams);
window.addEventListener("resize", () => scale <= fitting() * 1.01 || view.scrollWidth <= view.clientWidth ? fit() : redraw());

$("name").textContent = plan.graph || "a graph without name";
plan.engines.slice(0, plan.engines_launched).forEach((name, i) => {
	const item = line("li", line("i"), name);
	item.firstChild.className = `k${i % CLASSES}`;
	$("legend").append(item);
});
tellHelp();
summarise();
fit();
})();
