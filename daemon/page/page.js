"use strict";
(() => {
const MINUTE = 60000, PATIENCE = 5000;                            // ms: how far back "the last minute" goes; how long an answer may take
const $ = id => document.getElementById(id);
const own = document.querySelector("meta[name=page]").content;
let history = [], timer = 0, isAsking = false, goneSince = 0, restarted = 0, isPaused = false;

// ---- figures, with units ----
const many = (n, one, more = one + "s") => `${count(n)} ${n === 1 ? one : more}`;
const count = n => n.toLocaleString("en");
const percent = (part, all) => all ? `${Math.round(100 * part / all)} %` : "0 %";
const of = (n, limit) => limit ? `${count(n)} of ${count(limit)}` : `${count(n)}, no limit`;
const clock = ms => new Date(ms).toLocaleTimeString("en-GB");
const moment = (ms, now) => now - ms < 20 * 60 * MINUTE ? clock(ms) : `${new Date(ms).toLocaleDateString("en-CA")} ${clock(ms)}`;

function bytes(n) {
	const units = ["B", "KiB", "MiB", "GiB", "TiB"];
	let i = 0;
	for (; n >= 1024 && i < units.length - 1; i++)
		n /= 1024;
	return `${i && n < 100 ? n.toFixed(1) : Math.round(n)} ${units[i]}`;
}

function span(ms) {
	const s = Math.floor(ms / 1000);
	if (ms < 1000) return `${Math.round(ms)} ms`;
	if (s < 60) return `${s} s`;
	if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
	return s < 86400 ? `${Math.floor(s / 3600)} h ${Math.floor(s / 60) % 60} min` : `${Math.floor(s / 86400)} d ${Math.floor(s / 3600) % 24} h`;
}

const small = us => us < 1000 ? `${Math.round(us)}\xa0µs` : us < 1e6 ? `${+(us / 1000).toPrecision(3)}\xa0ms` : `${+(us / 1e6).toPrecision(3)}\xa0s`;

/* The bound that this part of all times is within. */
function within(buckets, part, bounds) {
	const all = buckets.reduce((a, b) => a + b, 0);
	let below = 0;
	for (let i = 0; all && i < buckets.length; i++) {
		below += buckets[i];
		if (below >= part * all)
			return i < bounds.length ? `≤\xa0${small(bounds[i])}` : `>\xa0${small(bounds[bounds.length - 1])}`;
	}
	return "–";
}

// ---- the page is changed where a figure changed, and nowhere else ----
function make(kind, className, ...parts) {
	const element = document.createElement(kind);
	if (className)
		element.className = className;
	element.append(...parts);
	return element;
}

/* Characters that are not seen, or that turn round what stands behind them, are shown by their numbers: names are whatever peers say. */
const visible = text => text.replace(/[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

function say(element, text) {
	text = visible(text);
	if (element.textContent !== text)
		element.textContent = text;
}

function each(host, wanted, kind) {
	while (host.children.length > wanted)
		host.lastElementChild.remove();
	while (host.children.length < wanted)
		host.append(kind());
}

/* [term, figure, what else there is to say of it, part of all: a bar] */
function figures(host, list) {
	each(host, list.length, () => make("div", "", make("dt"), make("dd", "", make("span"), make("small"))));
	list.forEach(([term, figure, note = "", part], i) => {
		const [dt, dd] = host.children[i].children;
		say(dt, term);
		say(dd.children[0], String(figure));
		say(dd.children[1], note);
		bar(dd, part, 2);
	});
}

function bar(cell, part, at) {
	if (part === undefined) {
		if (cell.children[at])
			cell.children[at].remove();
		return;
	}
	if (!cell.children[at]) {
		cell.append(make("span", "bar", make("i")));
		cell.children[at].setAttribute("aria-hidden", "true");
	}
	cell.children[at].firstChild.style.width = `${Math.min(100, 100 * part)}%`;
}

/* columns: [heading, class]; rows: lists of cells, a cell a text or [text, part of all]; a row may be .isBad. In a window that is
 * narrower than `least` pixels a row is a card, with the heading over each figure. */
function table(host, caption, columns, least, rows, none, rest) {
	if (!host.firstChild)
		makeTable(host, caption, columns, least, none);
	const [wide, empty, more] = host.children, body = wide.querySelector("tbody");
	wide.hidden = !rows.length;
	empty.hidden = rows.length > 0;
	say(more, rest || "");
	more.hidden = !rest;
	each(body, rows.length, () => makeRow(columns));
	rows.forEach((cells, r) => {
		body.children[r].className = cells.isBad ? "bad" : "";
		cells.forEach((cell, c) => {
			const td = body.children[r].children[c], [text, part] = Array.isArray(cell) ? cell : [cell];
			say(td.firstChild, String(text));
			bar(td, part, 1);
		});
	});
	fit(wide);
}

/* Roles are stated, since a row that is drawn as a card is none for a reader of the screen otherwise. */
function withRole(element, role) {
	element.setAttribute("role", role);
	return element;
}

function makeTable(host, caption, columns, least, none) {
	const head = withRole(make("tr", "", ...columns.map(([word, kind]) => withRole(make("th", kind, word), "columnheader"))), "row");
	const whole = withRole(make("table", "", make("caption", "", caption), withRole(make("thead", "", head), "rowgroup"), withRole(make("tbody"), "rowgroup")), "table");
	const wide = withRole(make("div", "wide", whole), "region");
	wide.setAttribute("aria-label", caption);
	wide.dataset.least = least;
	host.append(wide, make("p", "none", none), make("p", "rest"));
}

function makeRow(columns) {
	return withRole(make("tr", "", ...columns.map(([word, kind], i) => {
		const cell = withRole(make(i ? "td" : "th", kind, make("span")), i ? "cell" : "rowheader");
		cell.dataset.label = word;
		return cell;
	})), "row");
}

/* What is still wider than its place must be reached by Tab, to be moved by the arrow keys. */
function fit(wide) {
	wide.classList.toggle("cards", window.innerWidth < wide.dataset.least);
	if (wide.scrollWidth > wide.clientWidth)
		wide.tabIndex = 0;
	else
		wide.removeAttribute("tabindex");
}

// ---- since when ----
const before = () => history[0];
const seconds = now => (now.time_ms - before().time_ms) / 1000;

function less(row, old) {
	return old ? { count: row.count - old.count, buckets: row.buckets.map((n, i) => n - old.buckets[i]) } : row;
}

const rate = (n, now) => seconds(now) > 0 ? `${+(n / seconds(now)).toPrecision(2)}/s` : "";

// ---- parts ----
const STAGES = ["nothing is refused", "Explain and Verify are refused", "plans that are not known are refused, too", "new peers are refused, too"];

function showNow(now) {
	const s = now.status, old = before(), g = now.gauges, c = now.counters;
	figures($("now"), [
		["state", s.draining ? "draining" : "serving", `up ${span(s.uptime_ms)}`],
		["jobs", `${count(s.jobs_running)} running, ${count(s.jobs_queued)} queued`, many(s.workers, "worker"), s.workers ? s.jobs_running / s.workers : 0],
		["requests", count(s.requests), `${rate(s.requests - old.status.requests, now) || "0/s"} lately, ${count(s.errors)} refused`],
		["plans made", count(s.plans), `${rate(s.plans - old.status.plans, now) || "0/s"} lately`],
		["connections", count(s.connections), `${many(c.connections_refused, "peer")} turned away`],
		["under load", STAGES[g.shed_stage] || String(g.shed_stage), `${bytes(g.request_bytes_held)} of requests held`],
		["memory", bytes(s.resident_bytes), "of the process"],
		["lost", `${many(c.pool_expired, "model")} expired`, `${many(c.pool_forced, "lease")} taken by force`],
	]);
}

function showErrors(now) {
	const { shown, rest } = now.errors;
	const rows = shown.map(e => Object.assign([moment(e.time_ms, now.time_ms), e.method, e.message, e.code, e.status, `${count(e.times)}×`, e.connection || "", e.request || ""],
		{ isBad: e.status === "INTERNAL" }));
	table($("errors"), "What was refused last, the latest first; the same again counts up",
		[["last at", "short"], ["method"], ["message", "long"], ["code", "short"], ["status", "word"], ["times", "number"], ["connection", "number"], ["request", "number"]], 900,
		rows, "Nothing was refused since the start.", rest ? `and ${many(rest, "refusal")} before` : "");
}

function showJobs(now) {
	table($("jobs"), "Jobs, those that run first", [["job", "number"], ["method"], ["state"], ["age", "number"], ["deadline in", "number"], ["request", "number"], ["calls", "number"]], 560,
		now.jobs.shown.map(j => [j.id, j.method, j.state, span(j.age_ms), span(j.deadline_ms_left), bytes(j.bytes), count(j.requests)]),
		"No job runs or waits.", now.jobs.rest ? `and ${many(now.jobs.rest, "job")} more` : "");
}

function showTimes(now) {
	const bounds = now.bounds_us, old = before();
	const quantiles = (row, lately) => [row.count ? small(row.sum_us / row.count) : "–", within(row.buckets, .5, bounds), within(row.buckets, .99, bounds), within(lately.buckets, .99, bounds)];
	const columns = [["mean", "number"], ["half", "number"], ["99 of 100", "number"], ["99 of 100 lately", "number"]];
	table($("methods"), "Requests, from their last byte to their answer; lately: in the last minute", [["method", "name"], ["answered", "number"], ["refused", "number"], ["lately", "number"], ...columns], 640,
		now.methods.map(row => {
			const lately = less(row, old.methods.find(o => o.method === row.method)), good = row.statuses.OK || 0;
			return [row.method, count(good), count(row.count - good), rate(lately.count, now), ...quantiles(row, lately)];
		}), "Nothing was asked yet.");
	table($("stages"), "Stages of jobs, the line for streams (pool_wait), turns of the loop (loop_turn)", [["stage", "name"], ["times", "number"], ...columns], 560,
		now.stages.map((row, i) => [row.stage, count(row.count), ...quantiles(row, less(row, old.stages[i]))]), "");
}

function showCache(now) {
	const c = now.cache, old = before().cache, asked = c.hits + c.misses, lately = asked - old.hits - old.misses;
	figures($("cache"), [
		["plans kept", count(c.entries), `${bytes(c.bytes)} of ${bytes(c.bytes_max)}`, c.bytes_max ? c.bytes / c.bytes_max : 0],
		["found", `${percent(c.hits, asked)} of ${count(asked)}`, lately ? `${percent(c.hits - old.hits, lately)} lately` : "", asked ? c.hits / asked : 0],
		["found by their bytes", count(c.raw_hits), "without decoding"],
		["joined one in flight", count(c.joins)],
		["made room", count(c.evictions), "plans that were dropped"],
	]);
}

const flags = key => key.flag_names.length ? key.flag_names.join(" ") : "none";

function showDevice(host, d) {
	const s = d.stats, l = s.limits, held = s.live - s.idle;
	if (!host.firstChild) {
		host.append(make("h2", "", `Device ${d.device}`), make("dl", "figures"), make("div"), make("div"), make("div"));
		host.firstChild.id = `device-${d.device}`;
		host.setAttribute("aria-labelledby", host.firstChild.id);
	}
	const [, list, keys, holders, line] = host.children;
	figures(list, [
		["streams", `${count(held)} held, ${count(s.idle)} idle`, l.streams_max ? `of ${count(l.streams_max)}` : "no limit", l.streams_max ? held / l.streams_max : undefined],
		["leases", count(s.live_leases), many(s.models, "model")],
		["in line", count(s.waiting), `${many(s.refused, "acquire")} refused, ${many(s.expired, "model")} expired`],
		["events", of(s.events, l.events_max), "", l.events_max ? s.events / l.events_max : undefined],
		["notifies", of(s.notifies, l.notifies_max), "", l.notifies_max ? s.notifies / l.notifies_max : undefined],
		["streams ever", `${count(s.created)} made`, `${count(s.reused)} given again, ${count(s.destroyed)} destroyed`],
	]);
	table(keys, `Device ${d.device}: streams by key`, [["priority", "number"], ["flags"], ["held", "number"], ["idle", "number"], ["part held", "part"]], 500,
		d.keys.shown.map(k => [k.priority, flags(k), count(k.slots - k.idle), count(k.idle), [percent(k.slots - k.idle, k.slots), (k.slots - k.idle) / k.slots]]),
		"No stream is given out or kept.", d.keys.rest_slots ? `and ${many(d.keys.rest_slots, "stream")} of other keys, ${count(d.keys.rest_idle)} of them idle` : "");
	table(holders, `Device ${d.device}: leases by holder`,
		[["model", "peer"], ["domain", "peer"], ["leases", "number"], ["events", "number"], ["notifies", "number"], ["in line", "number"], ["user", "number"], ["process", "number"], ["age", "number"], ["heard of within", "number"]], 1100,
		d.holders.shown.map(m => [m.name, m.domain, [count(m.leases), s.live_leases ? m.leases / s.live_leases : 0], count(m.events), count(m.notifies), count(m.waiting), m.uid, m.pid, span(m.age_ms), span(m.ttl_ms_left)]),
		"No model is registered.", d.holders.rest ? `and ${many(d.holders.rest, "model")} more, with ${many(d.holders.rest_leases, "lease")}` : "");
	table(line, `Device ${d.device}: who waits in line, the next one first`, [["place", "number"], ["model", "peer"], ["priority", "number"], ["streams", "number"], ["waits no longer than", "number"]], 560,
		d.waiting.shown.map((w, i) => [i + 1, w.name, w.priority, count(w.streams), span(w.wait_ms_left)]), "Nobody waits for streams.", d.waiting.rest ? `and ${count(d.waiting.rest)} more` : "");
}

function show(now) {
	say($("version"), `${now.status.version}, planner ${now.status.planner}`);
	document.title = `streamd: ${now.status.jobs_running} running, ${now.status.jobs_queued} queued`;
	$("all").hidden = false;
	showNow(now);
	showErrors(now);
	showJobs(now);
	showTimes(now);
	showCache(now);
	each($("devices"), now.devices.length, () => make("section"));
	now.devices.forEach((device, i) => showDevice($("devices").children[i], device));
}

// ---- asking, again and again ----
function tell() {
	const now = history[history.length - 1], figuresOf = now ? `figures of ${clock(now.time_ms)}` : "no figures yet";
	document.body.className = goneSince ? "gone" : isPaused ? "paused" : "";
	if (goneSince) {
		say($("state"), `✕ no answer from the daemon since ${clock(goneSince)}; trying again`);
		document.title = "streamd: no answer";
	} else {
		say($("state"), (isPaused ? "❚❚ paused" : "● live") + (restarted ? `; it was started again at ${clock(restarted)}` : ""));
	}
	say($("age"), figuresOf);
}

function take(now) {
	const last = history[history.length - 1];
	if (now.page !== own) {
		location.reload();                                            // another daemon answers, with another page
		return;
	}
	if (last && now.status.uptime_ms < last.status.uptime_ms) {
		history = [];
		restarted = now.time_ms - now.status.uptime_ms;
	}
	history.push(now);
	while (history.length > 1 && now.time_ms - history[1].time_ms >= MINUTE)
		history.shift();
	show(now);
}

async function ask() {
	const control = new AbortController(), limit = setTimeout(() => control.abort(), PATIENCE);
	isAsking = true;
	try {
		const answer = await fetch("/status.json", { cache: "no-store", credentials: "omit", signal: control.signal });
		if (!answer.ok)
			throw new Error(String(answer.status));
		take(await answer.json());
		goneSince = 0;
	} catch (error) {
		goneSince = goneSince || Date.now();
	}
	clearTimeout(limit);
	isAsking = false;
	tell();
	next(+$("every").value);
}

function next(ms) {
	clearTimeout(timer);
	if (!isAsking && !isPaused && !document.hidden)
		timer = setTimeout(ask, ms);
}

$("pause").addEventListener("click", () => {
	isPaused = !isPaused;
	$("pause").setAttribute("aria-pressed", String(isPaused));
	tell();
	next(0);
});
$("every").addEventListener("change", () => next(0));
$("controls").addEventListener("submit", event => event.preventDefault());
document.addEventListener("visibilitychange", () => next(0));
window.addEventListener("resize", () => document.querySelectorAll(".wide").forEach(fit));
ask();
})();
