/* The page of a run: what its numbers are, the overview, tables, and the charts of stalls, energy and intervals. Time lines and maps,
 * memory, and source are in files of their own; each adds itself to `shown`, and redraw calls them all. */
"use strict";
const runs = data.runs, two = runs.length > 1, letters = ["A", "B"];
const columnOf = new Map(data.columns.map((name, i) => [name, i]));
const state = {run: 0, kernel: "", by: "name"};
const shown = []; /* functions that draw a part */

/* ---- numbers ---- */
const of = (o, name) => o.row[columnOf.get(name)] ?? 0;
const deep = (o, name) => name.split(".").reduce((at, key) => at?.[key], o);
const total = (run, name) => deep(run, name) ?? 0;
const clock = run => Number(run.config["gpu.core_clock"]) * 1e6; /* core cycles a second */
const ratio = (part, whole) => whole > 0 ? part / whole : null;
const percent = (v, digits = 1) => v == null || !Number.isFinite(v) ? "\u2013" : (100 * v).toFixed(digits) + " %";
const prefixes = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "\u00b5"], [1e-9, "n"]];
function si(v, unit = "", digits = 3) {
  if (v == null || !Number.isFinite(v)) return "\u2013";
  if (v === 0) return "0" + (unit ? " " + unit : "");
  const [size, prefix] = prefixes.find(p => Math.abs(v) >= p[0] * 0.9995) ?? prefixes.at(-1);
  return Number((v / size).toPrecision(digits)) + (prefix || unit ? " " + prefix + unit : "");
}
const plural = (n, one, many = one + "s") => n + " " + (n === 1 ? one : many);
const whole = v => v == null ? "\u2013" : Math.round(v).toLocaleString("en");
function change(a, b, better) { /* an element: by how much B differs from A */
  const span = element("span", a > 0 ? (b >= a ? "+" : "\u2212") + Math.abs(100 * (b / a - 1)).toFixed(1) + " %" : b > 0 ? "new" : "same");
  if (a > 0 && b === a) span.textContent = "same";
  else if (better) span.className = (b < a) === (better === "less") ? "better" : "worse";
  return span;
}
const changeText = (a, b) => change(a, b).textContent;

/* ---- kernels: launches, and launches of one name together ---- */
const stallNames = {memory: "waiting for loads", alu: "waiting for results", lsu: "load/store queue full", pipe: "pipeline busy",
  barrier: "at barriers", fetch: "waiting for instructions", fence: "at fences", held: "held back", idle: "no warp"};
const stallKeys = Object.keys(stallNames);
function stallColour(key) {
  const p = colours();
  return {issued: p[0], memory: p[1], alu: p[2], lsu: p[3], pipe: p[4], fence: p[5], barrier: p[6], fetch: p[7], held: css("--soft"), idle: css("--grid")}[key];
}
/* Short enough for an axis. */
const shortName = n => n.length > 34 ? n.slice(0, 32) + "\u2026" : n;
for (const run of runs) {
  run.kernels.forEach((k, i) => { k.index = i; k.launches = 1; });
  const names = new Map();
  for (const k of run.kernels) {
    const sum = names.get(k.name) ?? {name: k.name, launches: 0, row: data.columns.map(() => 0), start_cycle: k.start_cycle, grid: k.grid, block: k.block,
      registers: k.registers, shared_bytes: k.shared_bytes, ctas_per_sm: k.ctas_per_sm};
    sum.launches++;
    k.row.forEach((v, i) => { sum.row[i] += v ?? 0; });
    names.set(k.name, sum);
  }
  run.names = [...names.values()];
  for (const k of run.names) { k.row[columnOf.get("ipc")] = ratio(of(k, "thread_instructions"), of(k, "cycles")) ?? 0; }
  run.sum = {name: "the whole run", launches: run.kernels.length, row: data.columns.map(name => total(run, name))};
  for (const [i, name] of data.columns.entries())
    if (run.sum.row[i] === 0 && !name.includes(".") && name !== "ipc") run.sum.row[i] = run.kernels.reduce((s, k) => s + (k.row[i] ?? 0), 0);
}
const seconds = (run, k) => of(k, "cycles") / clock(run);
const slots = k => of(k, "sm.issue_slots_used") + stallKeys.reduce((s, key) => s + of(k, "sm.stall_" + key), 0);
const stallShare = (k, key) => ratio(of(k, key === "issued" ? "sm.issue_slots_used" : "sm.stall_" + key), slots(k));
const topStall = k => stallKeys.filter(key => key !== "idle").reduce((a, b) => of(k, "sm.stall_" + b) > of(k, "sm.stall_" + a) ? b : a);
const l1Hits = k => ratio(of(k, "l1d.hits"), of(k, "l1d.accesses"));
const l2Hits = k => ratio(of(k, "l2.hits"), of(k, "l2.accesses"));
const latency = k => ratio(of(k, "sm.load_latency"), of(k, "sm.loads"));
const dramRate = (run, k) => ratio(of(k, "dram.bytes"), seconds(run, k));

/* ---- overview ---- */
const tileRows = [
  {name: "Core cycles", get: (r, k) => of(k, "cycles"), show: whole, better: "less", note: (r, k) => si(seconds(r, k), "s") + " at " + Number(r.config["gpu.core_clock"]) + " MHz"},
  {name: "Instructions a cycle", get: (r, k) => ratio(of(k, "thread_instructions"), of(k, "cycles")), show: v => v == null ? "\u2013" : v.toFixed(1), better: "more",
    note: (r, k) => percent(ratio(of(k, "thread_instructions") / seconds(r, k), r.peak?.instructions)) + " of the peak"},
  {name: "Issue slots used", get: (r, k) => stallShare(k, "issued"), show: percent, better: "more", note: (r, k) => "largest loss: " + stallNames[topStall(k)]},
  {name: "Mean load latency", get: (r, k) => latency(k), show: v => v == null ? "\u2013" : whole(v), unit: "cycles", better: "less", note: (r, k) => si(of(k, "sm.loads")) + " loads"},
  {name: "L1D hits", get: (r, k) => l1Hits(k), show: percent, better: "more", note: (r, k) => si(of(k, "l1d.accesses")) + " accesses"},
  {name: "L2 hits", get: (r, k) => l2Hits(k), show: percent, better: "more", note: (r, k) => si(of(k, "l2.accesses")) + " accesses"},
  {name: "DRAM", get: (r, k) => dramRate(r, k), show: v => si(v, "B/s"), note: (r, k) => percent(ratio(dramRate(r, k), r.peak?.dram_bytes)) + " of the peak"},
  {name: "Energy", get: (r, k) => of(k, "energy.total"), show: v => si(v, "J"), better: "less", note: (r, k) => si(ratio(of(k, "energy.total"), seconds(r, k)), "W")},
];
function tile(row) {
  const box = element("div", null, {className: "tile"});
  box.append(element("dt", row.name));
  runs.forEach((r, i) => {
    const dd = element("dd");
    if (two) dd.append(element("small", letters[i] + " "));
    dd.append(row.show(row.get(r, r.sum)));
    if (row.unit) dd.append(element("small", " " + row.unit));
    if (i) dd.append(" ", change(row.get(runs[0], runs[0].sum) ?? 0, row.get(r, r.sum) ?? 0, row.better));
    box.append(dd);
  });
  if (!two) box.append(element("dd", row.note(runs[0], runs[0].sum), {className: "note"}));
  return box;
}
/* In a sentence: what most slots were lost to. */
function limitOf(run) {
  const k = run.sum, used = stallShare(k, "issued"), top = topStall(k);
  if (used == null) return "Nothing was executed.";
  return percent(used, 0) + " of the issue slots were used. The largest loss: " + stallNames[top] + ", " + percent(stallShare(k, top), 0) +
    "; " + percent(stallShare(k, "idle"), 0) + " had no warp.";
}
function drawOverview() {
  const parts = runs.map((r, i) => (two ? letters[i] + ": " : "") + limitOf(r));
  const cycles = runs.map(r => of(r.sum, "cycles"));
  if (two) parts.push(cycles[0] === cycles[1] ? "Both take the same time." : "B is " + (Math.max(...cycles) / Math.min(...cycles)).toFixed(3) + " times as " + (cycles[1] < cycles[0] ? "fast" : "slow") + " as A.");
  $("limit").textContent = parts.join(" ");
  $("tiles").replaceChildren(...tileRows.map(tile));
  const lacks = [];
  for (const r of runs) {
    const what = [!r.operations?.length && "a time line", !r.ctas && "CTAs", !r.intervals.length && "load over time", !r.profile?.length && "the cost of source lines"].filter(Boolean);
    if (what.length) lacks.push(element("p", r.called + " was recorded without " + what.join(", ") + ": run it with --detail to see more."));
    if (r.stopped) lacks.push(element("p", r.called + ": " + r.stopped + "."));
    if (r.output_ok === false) lacks.push(element("p", r.called + ": the output is wrong."));
    for (const f of r.failures ?? []) lacks.push(element("p", r.called + ": " + f.launches + " launches of " + (f.kernel ?? "an unknown kernel") + " failed, " + f.error + "."));
  }
  $("missing").replaceChildren(...lacks);
}

/* ---- kernels ---- */
const grid = g => g ? g.filter((v, i) => i === 0 || g.slice(i).some(x => x > 1)).join("\u00d7") : "";
function kernelColumns(run) {
  const all = of(run.sum, "cycles") || 1, number = (name, get, show) => ({name, number: true, get, show: k => get(k) == null ? "\u2013" : show(get(k))});
  return [{name: "#", number: true, get: k => k.index ?? null}, {name: "kernel", get: k => k.name, className: "kernel-name"},
    number("launches", k => k.launches, whole), number("start", k => k.start_cycle, whole), number("cycles", k => of(k, "cycles"), whole),
    number("share", k => of(k, "cycles") / all, percent), number("IPC", k => of(k, "ipc"), v => v.toFixed(1)),
    {name: "grid", get: k => grid(k.grid)}, {name: "block", get: k => grid(k.block)},
    number("registers", k => k.registers, whole), number("CTAs an SM", k => k.ctas_per_sm, whole), number("issued", k => stallShare(k, "issued"), percent),
    {name: "most lost", get: k => stallNames[topStall(k)] + " " + percent(stallShare(k, topStall(k)), 0)},
    number("L1D hits", l1Hits, percent), number("L2 hits", l2Hits, percent), number("load latency", latency, whole),
    number("DRAM", k => dramRate(run, k), v => si(v, "B/s")), number("energy", k => of(k, "energy.total"), v => si(v, "J"))]
    .filter(c => state.by === "name" ? !["#", "start"].includes(c.name) : c.name !== "launches");
}
/* Kernels of both runs: launches by name and turn, or sums by name. */
function pairs() {
  const key = (k, seen) => { const n = seen.get(k.name) ?? 0; seen.set(k.name, n + 1); return k.name + "#" + n; };
  const out = new Map(), lists = runs.map(r => state.by === "name" ? r.names : r.kernels);
  lists.forEach((list, i) => { const seen = new Map(); for (const k of list) { const id = key(k, seen); out.set(id, {name: k.name, ...out.get(id), [i]: k}); } });
  return [...out.values()];
}
function pairColumns() {
  const value = (i, f) => p => p[i] ? f(p[i], runs[i]) : null, columns = [{name: "kernel", get: p => p.name, className: "kernel-name"}];
  const add = (name, f, show) => {
    columns.push({name: name + " A", number: true, get: value(0, f), show: p => p[0] && f(p[0], runs[0]) != null ? show(f(p[0], runs[0])) : "\u2013"},
      {name: name + " B", number: true, get: value(1, f), show: p => p[1] && f(p[1], runs[1]) != null ? show(f(p[1], runs[1])) : "\u2013"});
  };
  add("cycles", k => of(k, "cycles"), whole);
  columns.push({name: "change", number: true, get: p => p[0] && p[1] ? of(p[1], "cycles") / of(p[0], "cycles") - 1 : null,
    show: p => p[0] && p[1] ? changeText(of(p[0], "cycles"), of(p[1], "cycles")) : p[0] ? "only A" : "only B"});
  add("IPC", k => of(k, "ipc"), v => v.toFixed(1));
  add("issued", k => stallShare(k, "issued"), percent);
  add("L1D hits", l1Hits, percent);
  add("L2 hits", l2Hits, percent);
  add("load latency", latency, whole);
  add("DRAM", (k, r) => dramRate(r, k), v => si(v, "B/s"));
  add("energy", k => of(k, "energy.total"), v => si(v, "J"));
  return columns;
}
function chooseKernel(k, tr) {
  document.querySelectorAll("#kernels tr.chosen").forEach(e => e.classList.remove("chosen"));
  tr.classList.add("chosen");
  state.kernel = k.name;
  $("memory-kernel").value = k.name;
  for (const part of shown) if (part.of === "kernel") part.draw();
}
function drawKernels() {
  const run = runs[0];
  $("kernels-note").textContent = (two ? "A has " + runs[0].kernels.length + " launches, B " + runs[1].kernels.length : plural(run.kernels.length, "launch", "launches") + " of " +
    plural(run.names.length, "kernel")) + ". A column's name sorts by it; a chosen row is marked on the time line and shown in the diagram of memory.";
  if (two) table("kernels", pairColumns(), pairs(), $("kernels-filter"), $("kernels-count"), chooseKernel);
  else table("kernels", kernelColumns(run), state.by === "name" ? [...run.names].sort((a, b) => of(b, "cycles") - of(a, "cycles")) : run.kernels,
    $("kernels-filter"), $("kernels-count"), chooseKernel);
}

/* ---- stacks by kernel: stalls and energy ---- */
const MOST_BARS = 14;
/* Bars: the whole run and the longest kernels; of two runs a bar each, next to each other. */
function bars() {
  const longest = new Map();
  for (const r of runs) for (const k of r.names) longest.set(k.name, Math.max(longest.get(k.name) ?? 0, ratio(of(k, "cycles"), of(r.sum, "cycles")) ?? 0));
  const names = [...longest.keys()].sort((a, b) => longest.get(b) - longest.get(a)).slice(0, MOST_BARS), out = [];
  const add = (label, pick) => runs.forEach((r, i) => { const k = pick(r); if (k) out.push({label: label + (two ? " " + letters[i] : ""), k, run: r}); });
  add("the whole run", r => r.sum);
  if (longest.size > 1) for (const n of names) add(shortName(n), r => r.names.find(k => k.name === n));
  return out;
}
function stack(id, sets, title, show, list) {
  const soft = css("--soft"), gridColour = css("--grid"), surface = css("--surface"), longest = Math.max(...list.map(b => b.label.length));
  $(id + "-box").style.height = 90 + list.length * 30 + "px";
  draw(id, {type: "bar", data: {labels: list.map(b => b.label), datasets: sets.map(s => ({label: s.label, data: s.data, backgroundColor: s.colour,
    borderColor: surface, borderWidth: {right: 1}, stack: "all", maxBarThickness: 24}))},
    more: {indexAxis: "y", interaction: {mode: "nearest", axis: "y", intersect: false},
      scales: {x: {stacked: true, beginAtZero: true, title: {display: true, text: title, color: soft}, ticks: {color: soft, callback: show}, grid: {color: gridColour}, border: {color: gridColour}},
               y: {stacked: true, ticks: {color: css("--ink"), autoSkip: false, font: {size: longest > 24 || innerWidth < 600 ? 10 : 12}}, grid: {display: false}, border: {color: gridColour}}}}});
  const tip = charts[id].options.plugins.tooltip;
  tip.mode = "index";
  tip.axis = "y";
  tip.callbacks.label = t => t.dataset.label + ": " + show(t.parsed.x);
  tip.filter = t => t.parsed.x > 0;
  charts[id].update();
}
function drawStalls() {
  const list = bars(), keys = ["issued", ...stallKeys].filter(key => list.some(b => stallShare(b.k, key) > 0));
  stack("stalls", keys.map(key => ({label: key === "issued" ? "issued" : stallNames[key], colour: stallColour(key),
    data: list.map(b => 100 * (stallShare(b.k, key) ?? 0))})), "% of issue slots", v => Number(v.toPrecision(3)) + " %", list);
  charts.stalls.options.scales.x.max = 100;
  charts.stalls.update();
  $("stalls").setAttribute("aria-label", "Stacked bars of issue slots: " + list.map(b => b.label + " " + keys.filter(key => stallShare(b.k, key) >= 0.05)
    .map(key => (key === "issued" ? "issued" : stallNames[key]) + " " + percent(stallShare(b.k, key), 0)).join(", ")).join("; "));
}
const energyNames = {core: "instructions", register_file: "registers", shared: "shared memory", l1: "L1", l2: "L2", noc: "networks", dram: "DRAM",
  added: "added storage", static: "leakage and constant"};
function drawEnergy() {
  const list = bars(), p = colours(), keys = Object.keys(energyNames).filter(key => list.some(b => of(b.k, "energy." + key) > 0));
  const colour = {core: p[0], register_file: p[2], shared: p[5], l1: p[3], l2: p[1], noc: p[6], dram: p[4], added: p[7], static: css("--grid")};
  stack("energy", keys.map(key => ({label: energyNames[key], colour: colour[key], data: list.map(b => of(b.k, "energy." + key))})),
    "joules", v => si(v, "J"), list);
  $("energy-note").textContent = runs.map((r, i) => (two ? letters[i] + ": " : "") + si(of(r.sum, "energy.total"), "J") + ", " +
    si(ratio(of(r.sum, "energy.total"), seconds(r, r.sum)), "W") + " on average while kernels ran").join("; ") + ".";
  $("energy").setAttribute("aria-label", "Stacked bars of energy: " + keys.map(key => energyNames[key] + " " +
    percent(ratio(of(runs[0].sum, "energy." + key), of(runs[0].sum, "energy.total")), 0)).join(", "));
}

/* ---- intervals ---- */
const startOf = (run, i) => (run.kernels[i.kernel]?.start_cycle ?? 0) + i.first_cycle;
const lineKinds = [
  {id: "slots", label: "issue slots by reason, %", stacked: true},
  {id: "ipc", label: "instructions a cycle", get: (r, i) => of(i, "ipc")},
  {id: "l1", label: "L1D hits, %", get: (r, i) => 100 * (l1Hits(i) ?? NaN)},
  {id: "l2", label: "L2 hits, %", get: (r, i) => 100 * (l2Hits(i) ?? NaN)},
  {id: "latency", label: "mean latency of completed loads, cycles", get: (r, i) => latency(i) ?? NaN},
  {id: "noc", label: "flits back to the SMs a core cycle", get: (r, i) => of(i, "noc.reply_flits") / of(i, "cycles")},
  {id: "dram", label: "DRAM, GB/s", get: (r, i) => (dramRate(r, i) ?? 0) / 1e9},
  {id: "power", label: "power, W", get: (r, i) => of(i, "power.total")},
];
const lines = {kind: lineKinds[0]};
/* A point where an interval begins and one just before it ends: what is stacked at one place must be one point. */
const steps = (run, get) => run.intervals.flatMap(i => [0, of(i, "cycles") - 0.01].map(after => ({x: startOf(run, i) + after, y: get(i)})));
function lineSets() {
  const p = colours();
  if (!lines.kind.stacked) return runs.filter(r => r.intervals.length).map((r, i) => ({label: two ? letters[i] + ": " + r.called : lines.kind.label,
    data: steps(r, v => lines.kind.get(r, v)), borderColor: p[i], backgroundColor: p[i], borderWidth: 1.6, pointRadius: 0, spanGaps: true}));
  const run = runs[state.run], keys = ["issued", ...stallKeys].filter(key => run.intervals.some(i => stallShare(i, key) > 0));
  return keys.map(key => ({label: key === "issued" ? "issued" : stallNames[key], fill: "stack", borderWidth: 0, pointRadius: 0,
    backgroundColor: stallColour(key), borderColor: stallColour(key), data: steps(run, i => 100 * (stallShare(i, key) ?? 0))}));
}
function drawLines() {
  $("lines-section").hidden = !runs.some(r => r.intervals.length);
  if ($("lines-section").hidden) return;
  draw("lines", {type: "line", yTitle: lines.kind.label, zero: true, x: {type: "linear", title: {display: true, text: "core cycles", color: css("--soft")}},
    data: {datasets: lineSets()}});
  const o = charts.lines.options;
  o.scales.x.ticks.autoSkip = true;
  o.scales.x.ticks.maxRotation = 0;
  o.scales.x.max = Math.max(...runs.flatMap(r => r.intervals.map(i => startOf(r, i) + of(i, "cycles"))));
  if (lines.kind.stacked) { o.scales.y.stacked = true; o.scales.y.max = 100; }
  o.interaction = {mode: "nearest", axis: "x", intersect: false};
  o.plugins.tooltip.mode = lines.kind.stacked ? "index" : "nearest";
  charts.lines.update();
  $("lines").setAttribute("aria-label", "Over time: " + lines.kind.label + " of " + runs.map(r => r.intervals.length).join(" and ") + " intervals");
}

/* ---- all numbers ---- */
function flat(o, prefix, out) {
  for (const [key, v] of Object.entries(o)) {
    if (typeof v === "number") out.set(prefix + key, v);
    else if (v && typeof v === "object" && !Array.isArray(v)) flat(v, prefix + key + ".", out);
  }
  return out;
}
function statRows() {
  const skip = new Set(["config", "kernels", "intervals", "profile", "ptx", "sources", "operations", "ctas", "row", "sum", "names", "failures"]);
  const all = runs.map(r => flat(Object.fromEntries(Object.entries(r).filter(([k]) => !skip.has(k))), "", new Map()));
  return unique(all.flatMap(m => [...m.keys()])).map(name => ({name, values: all.map(m => m.get(name) ?? null), unit: data.units[name]?.[0] ?? "", meaning: data.units[name]?.[1] ?? ""}));
}
function drawNumbers() {
  const values = runs.map((r, i) => ({name: two ? letters[i] : "value", number: true, get: s => s.values[i]}));
  const changed = {name: "change", number: true, get: s => s.values[0] && s.values[1] != null ? s.values[1] / s.values[0] - 1 : null,
    show: s => s.values[0] == null || s.values[1] == null ? "" : changeText(s.values[0], s.values[1])};
  table("stats", [{name: "statistic", get: s => s.name}, ...values, ...(two ? [changed] : []), {name: "unit", get: s => s.unit},
    {name: "meaning", get: s => s.meaning, className: "text"}], statRows(), $("stats-filter"), $("stats-count"));
  const keys = unique(runs.flatMap(r => Object.keys(r.config))), settings = keys.map(key => ({key, values: runs.map(r => r.config[key] ?? "")}));
  const differ = s => two && s.values[0] !== s.values[1];
  settings.sort((a, b) => differ(b) - differ(a));
  table("config", [{name: "key", get: s => s.key}, ...runs.map((r, i) => ({name: two ? letters[i] : "value", get: s => s.values[i], className: "text"})),
    ...(two ? [{name: "differs", get: s => differ(s) ? "yes" : ""}] : [])], settings, $("config-filter"), $("config-count"));
}

/* ---- the page ---- */
shown.push({draw: drawOverview}, {draw: drawKernels}, {draw: drawStalls}, {draw: drawEnergy}, {draw: drawLines});
function redraw() { for (const part of shown) part.draw(); }
function start() {
  const names = runs.map(r => r.program ?? r.called), gpus = [...new Set(runs.map(r => r.gpu))];
  const title = two && names[0] === names[1] ? names[0] + " on " + gpus.join(" and ") + ": " + runs.map(r => r.called).join(" beside ") :
    runs.map((r, i) => names[i] + " on " + r.gpu).join(" beside ");
  document.title = title + " \u2013 Heddle";
  $("title").textContent = title;
  $("about").textContent = (two ? runs.map((r, i) => letters[i] + " is " + r.called).join(", ") + "; " : "") + "made " + data.made + " by heddle " + data.version;
  if (two) {
    $("show-label").hidden = false;
    options($("show"), runs.map((r, i) => ({id: String(i), label: letters[i] + ": " + r.called})), "0", v => { state.run = Number(v); Object.assign(time, {from: 0, to: prepareTime(runs[state.run]).end}); });
  }
  options($("kernels-by"), [{id: "name", label: "kernels"}, {id: "launch", label: "launches"}], state.by, v => { state.by = v; });
  options($("lines-what"), lineKinds, lines.kind.id, v => { lines.kind = lineKinds.find(k => k.id === v); });
  for (const part of shown) part.begin?.();
  drawNumbers();
  redraw();
  const titles = {overview: "Overview", "kernels-section": "Kernels", "time-section": "Time line", "stalls-section": "Stalls", "memory-section": "Memory",
    "roof-section": "Roofline", "maps-section": "Load", "lines-section": "Over time", "energy-section": "Energy", "source-section": "Source",
    "stats-section": "Statistics", "config-section": "Configuration"};
  for (const [id, text] of Object.entries(titles)) {
    if ($(id).hidden) continue;
    const li = element("li");
    li.append(element("a", text, {href: "#" + id}));
    $("nav").append(li);
  }
}
document.addEventListener("DOMContentLoaded", start);
