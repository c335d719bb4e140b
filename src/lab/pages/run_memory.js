/* The levels of memory with what passes between them, and the roofline. */
"use strict";
/* ---- levels and what passes between them ---- */
const slicesOf = r => Number(r.config["dram.channels"]) * Number(r.config["l2.slices_per_channel"]);
const flitBytes = r => Number(r.config["noc.flit_bytes"]);
/* Bytes a second that a network could deliver: a flit a cycle of its narrower side. */
const flitPeak = r => Math.min(Number(r.config["gpu.sms"]), slicesOf(r)) * flitBytes(r) * Number(r.config["gpu.noc_clock"]) * 1e6;
const writeShare = k => ratio(of(k, "dram.writes"), of(k, "dram.reads") + of(k, "dram.writes")) ?? 0;
const levels = [
  {name: r => r.config["gpu.sms"] + " SMs", rows: [
    ["instructions a cycle", (r, k) => of(k, "cycles") ? (of(k, "thread_instructions") / of(k, "cycles")).toFixed(1) : "\u2013"],
    ["issue slots used", (r, k) => percent(stallShare(k, "issued"))],
    ["shared accesses", (r, k) => si(of(k, "sm.shared_accesses"))],
    ["bank conflicts", (r, k) => si(of(k, "sm.bank_conflicts"))]]},
  {name: () => "L1D", rows: [
    ["hits", (r, k) => percent(l1Hits(k))],
    ["merged", (r, k) => percent(ratio(of(k, "l1d.pending_hits"), of(k, "l1d.accesses")))],
    ["accesses", (r, k) => si(of(k, "l1d.accesses"))],
    ["cycles refused", (r, k) => si(of(k, "l1d.reservation_fails"))]]},
  {name: r => "L2, " + slicesOf(r) + " slices", rows: [
    ["hits", (r, k) => percent(l2Hits(k))],
    ["merged", (r, k) => percent(ratio(of(k, "l2.pending_hits"), of(k, "l2.accesses")))],
    ["accesses", (r, k) => si(of(k, "l2.accesses"))],
    ["sector hits", (r, k) => percent(ratio(of(k, "l2.sectors_hit"), of(k, "l2.sectors")))]]},
  {name: r => "DRAM, " + r.config["dram.channels"] + " channels", rows: [
    ["row hits", (r, k) => percent(ratio(of(k, "dram.row_hits"), of(k, "dram.reads") + of(k, "dram.writes")))],
    ["bus busy", (r, k) => percent(ratio(of(k, "dram.bytes") / seconds(r, k), r.peak?.dram_bytes))],
    ["reads", (r, k) => si(of(k, "dram.reads"))],
    ["writes", (r, k) => si(of(k, "dram.writes"))]]},
];
const arrows = [
  {away: {name: "stored", bytes: (r, k) => 32 * of(k, "l1d.store_sectors"), peak: r => r.peak?.l1_bytes},
   back: {name: "loaded", bytes: (r, k) => 32 * of(k, "l1d.load_sectors"), peak: r => r.peak?.l1_bytes}},
  {away: {name: "requests", bytes: (r, k) => flitBytes(r) * of(k, "noc.request_flits"), peak: flitPeak},
   back: {name: "replies", bytes: (r, k) => flitBytes(r) * of(k, "noc.reply_flits"), peak: flitPeak}},
  {away: {name: "written", bytes: (r, k) => of(k, "dram.bytes") * writeShare(k), peak: r => r.peak?.dram_bytes},
   back: {name: "read", bytes: (r, k) => of(k, "dram.bytes") * (1 - writeShare(k)), peak: r => r.peak?.dram_bytes}},
];
const svgNode = (name, attributes, text) => {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, v] of Object.entries(attributes)) e.setAttribute(key, v);
  if (text != null) e.textContent = text;
  return e;
};
const useOf = (flow, r, k) => ratio(ratio(flow.bytes(r, k), seconds(r, k)), flow.peak(r));
const useColour = u => u > 0.8 ? colours()[7] : u > 0.5 ? colours()[3] : colours()[0];
function drawBox(svg, level, x, y, w, h, r, k) {
  svg.append(svgNode("rect", {x, y, width: w, height: h, rx: 8, class: "box"}), svgNode("text", {x: x + 12, y: y + 24, class: "name"}, level.name(r)));
  level.rows.forEach(([name, get], i) => {
    const line = y + 50 + i * 21;
    svg.append(svgNode("text", {x: x + 12, y: line, class: "soft"}, name), svgNode("text", {x: x + w - 12, y: line, "text-anchor": "end"}, get(r, k)));
  });
}
/* From (x1, y1) to (x2, y2), straight; its width is its use. */
function drawArrow(svg, flow, from, to, at, anchor, r, k) {
  const use = useOf(flow, r, k), wide = 1.5 + 9 * Math.min(1, use ?? 0), colour = useColour(use ?? 0), head = 5 + wide * 0.6;
  const dx = Math.sign(to[0] - from[0]), dy = Math.sign(to[1] - from[1]), base = [to[0] - dx * head, to[1] - dy * head];
  svg.append(svgNode("line", {x1: from[0], y1: from[1], x2: base[0], y2: base[1], stroke: colour, "stroke-width": wide, class: "flow"}),
    svgNode("path", {d: `M${to[0]} ${to[1]}L${base[0] - dy * head * 0.7} ${base[1] - dx * head * 0.7}L${base[0] + dy * head * 0.7} ${base[1] + dx * head * 0.7}Z`, fill: colour}));
  const text = (y, c, s) => svg.append(svgNode("text", {x: at[0], y: at[1] + y, "text-anchor": anchor, class: c}, s));
  text(0, "rate", si(ratio(flow.bytes(r, k), seconds(r, k)), "B/s"));
  text(17, "soft", flow.name + ", " + percent(use, 0) + " used");
}
function diagram(r, k, width) {
  const narrow = width < 900, W = 190, H = 146, n = levels.length, gap = narrow ? 108 : (Math.max(width, 1020) - n * W) / (n - 1);
  const size = narrow ? [width, n * H + (n - 1) * gap] : [Math.max(width, 1020), H + 20];
  const svg = svgNode("svg", {viewBox: `0 0 ${size[0]} ${size[1]}`, width: size[0], height: size[1], role: "img", style: "max-width: 100%; display: block"});
  levels.forEach((level, i) => {
    const x = narrow ? 0 : i * (W + gap), y = narrow ? i * (H + gap) : 10;
    drawBox(svg, level, x + 0.5, y + 0.5, (narrow ? width : W) - 1, H - 1, r, k);
    if (i === n - 1) return;
    const a = arrows[i];
    if (narrow) {
      drawArrow(svg, a.away, [24, y + H + 4], [24, y + H + gap - 4], [42, y + H + gap / 2 - 4], "start", r, k);
      drawArrow(svg, a.back, [width - 24, y + H + gap - 4], [width - 24, y + H + 4], [width - 42, y + H + gap / 2 - 4], "end", r, k);
    } else {
      drawArrow(svg, a.away, [x + W + 6, y + 58], [x + W + gap - 6, y + 58], [x + W + gap / 2, y + 22], "middle", r, k);
      drawArrow(svg, a.back, [x + W + gap - 6, y + 92], [x + W + 6, y + 92], [x + W + gap / 2, y + 117], "middle", r, k);
    }
  });
  svg.setAttribute("aria-label", levels.map(l => l.name(r) + ": " + l.rows.map(([name, get]) => name + " " + get(r, k)).join(", ")).join("; ") + "; " +
    arrows.flatMap(a => [a.away, a.back]).map(f => f.name + " " + si(ratio(f.bytes(r, k), seconds(r, k)), "B/s")).join(", "));
  return svg;
}
function drawMemory() {
  const picked = runs.map(r => state.kernel ? r.names.find(k => k.name === state.kernel) : r.sum), width = $("memory").clientWidth;
  if (!width) return;
  $("memory").replaceChildren(...picked.flatMap((k, i) => k ? [...(two ? [element("h3", letters[i] + ": " + runs[i].called)] : []), diagram(runs[i], k, width)] : []));
  $("memory-note").textContent = "Bytes a second while " + (state.kernel ? "the kernel ran" : "kernels ran") + ", and how much of what a level could carry that is: loads and stores by the 32-byte sectors asked for, networks by flits of " +
    flitBytes(runs[0]) + " bytes.";
}
function beginMemory() {
  const names = [...new Set(runs.flatMap(r => r.names.map(k => k.name)))];
  options($("memory-kernel"), [{id: "", label: "the whole run"}, ...names], "", v => { state.kernel = v; });
}

/* ---- roofline ---- */
const works = [
  {id: "thread", label: "thread instructions", unit: "instructions", get: k => of(k, "thread_instructions"), peak: r => r.peak?.instructions},
  {id: "float", label: "floating-point instructions of threads", unit: "instructions", get: k => of(k, "sm.fp32_operations") + of(k, "sm.fp64_operations") + of(k, "sm.tensor_operations"), peak: r => r.peak?.instructions},
];
const roofLevels = [
  {name: "L1D", bytes: k => 32 * (of(k, "l1d.load_sectors") + of(k, "l1d.store_sectors")), peak: r => r.peak?.l1_bytes, style: "triangle"},
  {name: "L2", bytes: k => 32 * of(k, "l2.sectors"), peak: r => r.peak?.l2_bytes, style: "circle"},
  {name: "DRAM", bytes: k => of(k, "dram.bytes"), peak: r => r.peak?.dram_bytes, style: "rect"},
];
const roof = {work: works[0]};
function roofPoints(run, level) {
  const all = of(run.sum, "cycles") || 1;
  return [...run.names].sort((a, b) => of(b, "cycles") - of(a, "cycles")).slice(0, 40).flatMap(k => {
    const work = roof.work.get(k), bytes = level.bytes(k);
    return work > 0 && bytes > 0 ? [{x: work / bytes, y: work / seconds(run, k) / 1e9, name: k.name, share: of(k, "cycles") / all}] : [];
  });
}
function drawRoof() {
  const run = runs[0], p = colours(), surface = css("--surface"), peak = roof.work.peak(run);
  $("roof-section").hidden = !peak;
  if (!peak) return;
  const points = runs.flatMap((r, i) => roofLevels.map((l, n) => ({label: l.name + (two ? " " + letters[i] : ""), data: roofPoints(r, l), pointStyle: l.style, order: 0,
    pointRadius: c => 4 + 7 * Math.sqrt(c.raw?.share ?? 0), pointHoverRadius: c => 6 + 7 * Math.sqrt(c.raw?.share ?? 0), borderColor: i ? p[n] : surface, backgroundColor: i ? surface : p[n], borderWidth: i ? 2 : 1})));
  const xs = points.flatMap(s => s.data.map(d => d.x)), low = Math.min(0.05, ...xs) / 2, high = Math.max(...roofLevels.map(l => peak / l.peak(run)), ...xs) * 3;
  const edge = l => ({label: l.name + " roof, " + si(l.peak(run), "B/s"), type: "line", pointRadius: 0, borderWidth: 1.5, borderDash: [6, 4], order: 1, roofOf: l.name,
    borderColor: p[roofLevels.indexOf(l)], backgroundColor: p[roofLevels.indexOf(l)],
    data: [low, peak / l.peak(run), high].map(x => ({x, y: Math.min(peak, l.peak(run) * x) / 1e9}))});
  draw("roof", {type: "scatter", yTitle: "10\u2079 " + roof.work.unit + " a second", x: {}, data: {datasets: [...points, ...roofLevels.map(edge)]}});
  const o = charts.roof.options, soft = css("--soft"), log = {callback: v => Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-6 ? Number(v.toPrecision(1)).toLocaleString("en", {maximumFractionDigits: 6}) : ""};
  Object.assign(o.scales.x, {type: "logarithmic", min: low, max: high, title: {display: true, text: roof.work.unit + " a byte of the level", color: soft}});
  Object.assign(o.scales.y, {type: "logarithmic", max: 2 * peak / 1e9});
  Object.assign(o.scales.x.ticks, {autoSkip: true, maxRotation: 0, ...log});
  Object.assign(o.scales.y.ticks, log);
  o.interaction = {mode: "nearest", intersect: true};
  o.plugins.legend.labels.usePointStyle = true;
  o.plugins.legend.labels.generateLabels = c => Chart.defaults.plugins.legend.labels.generateLabels(c).map(l => c.data.datasets[l.datasetIndex].roofOf ? {...l, pointStyle: "line", lineWidth: 2} : {...l, fillStyle: c.data.datasets[l.datasetIndex].backgroundColor});
  o.plugins.tooltip.callbacks.label = t => t.raw.name ? t.dataset.label + ", " + shortName(t.raw.name) + ": " + si(t.raw.y * 1e9) + " a second, " + si(t.raw.x) + " a byte, " + percent(t.raw.share) + " of the cycles" : t.dataset.label;
  charts.roof.update();
  $("roof-note").textContent = "Each kernel has a point for each level: how many " + roof.work.label + " it makes of a byte, and how fast; larger is longer. Below the slope the level's bandwidth limits it, below the flat part the schedulers do (" +
    si(peak) + " thread instructions a second).";
  $("roof").setAttribute("aria-label", "Roofline: " + points.map(s => s.label + " " + s.data.length + " kernels").join(", ") + "; the table of kernels has the numbers");
}
function beginRoof() { options($("roof-work"), works.filter(w => w.id === "thread" || runs.some(r => w.get(r.sum) > 0)), roof.work.id, v => { roof.work = works.find(w => w.id === v); }); }
shown.push({begin: beginMemory, draw: drawMemory, of: "kernel"}, {begin: beginRoof, draw: drawRoof});
