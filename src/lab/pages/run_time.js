/* The time line (streams, and CTAs on SMs) and the maps of load over time, drawn on canvases of their own. */
"use strict";
/* A canvas in CSS pixels, sharp on any screen. */
function canvasOf(id, height) {
  const c = $(id), width = c.parentElement.clientWidth, scale = devicePixelRatio || 1;
  c.style.height = height + "px";
  c.width = Math.round(width * scale);
  c.height = Math.round(height * scale);
  const ctx = c.getContext("2d");
  ctx.setTransform(scale, 0, 0, scale, 0, 0);
  ctx.clearRect(0, 0, width, height);
  ctx.font = "12px system-ui, sans-serif";
  ctx.textBaseline = "middle";
  return {ctx, width, height};
}
/* Round steps for an axis of about n ticks. */
function ticks(from, to, n) {
  const rough = (to - from) / Math.max(1, n), size = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].map(s => s * size).find(s => s >= rough);
  const out = [];
  for (let v = Math.ceil(from / step) * step; v <= to; v += step) out.push(v);
  return out;
}

/* ---- the time line ---- */
const LABEL = 76, STREAM = 26, AXIS = 24, MOST_SM_ROWS = 264;
const time = {from: 0, to: 1, marks: {operations: 0, ctas: 0}, cursor: null, at: []};
function prepareTime(run) {
  if (run.time) return run.time;
  const ops = (run.operations ?? []).map(o => ({...o, from: o.start_ns, to: o.start_ns + o.ns}));
  const of_kernel = new Map(ops.filter(o => o.kernel != null).map(o => [o.kernel, o])), period = 1e9 / clock(run);
  const ctas = (run.ctas?.rows ?? []).flatMap(([kernel, sm, slot, start, cycles]) => {
    const o = of_kernel.get(kernel);
    if (!o) return [];
    const from = o.from + (start - run.kernels[kernel].start_cycle) * period;
    return [{kernel, sm, slot, from, to: from + cycles * period, cycles, name: o.name}];
  });
  const streams = streamRows(ops, run.streams ?? []);
  const sms = ctas.reduce((m, c) => Math.max(m, c.sm + 1), 0), slotCount = ctas.reduce((m, c) => Math.max(m, c.slot + 1), 1);
  const end = ops.reduce((m, o) => Math.max(m, o.to), 1);
  return run.time = {ops, ctas, streams, sms, slots: slotCount, end, names: run.names.map(k => k.name)};
}
/* A row a stream; more where nodes of a graph run beside each other. */
function streamRows(ops, names) {
  const rows = [], ends = new Map();
  for (const o of [...ops].sort((a, b) => a.from - b.from)) {
    const lanes = ends.get(o.stream) ?? [], free = lanes.findIndex(l => l.end <= o.from + 1e-3 /* ns: times are rounded */), lane = free < 0 ? {stream: o.stream, name: lanes.length ? "" : names[o.stream] ?? "stream"} : lanes[free];
    if (free < 0) { lanes.push(lane); rows.push(lane); }
    lane.end = o.to;
    o.lane = lane;
    ends.set(o.stream, lanes);
  }
  return rows.sort((a, b) => a.stream - b.stream);
}
const kernelColour = (t, name) => colours()[t.names.indexOf(name) % FEW];
/* Black or white, whichever can be read on it. */
function inkOn(colour) {
  const [r, g, b] = channels(colour).map(v => { const s = v / 255; return s <= 0.04 ? s / 12.9 : ((s + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.3 ? "#0b0b0b" : "#ffffff";
}
const isCopy = o => o.kind !== "kernel";
function drawTimeline() {
  const run = runs[state.run], t = prepareTime(run);
  $("time-section").hidden = !t.ops.length;
  if (!t.ops.length) return;
  const smRow = t.sms ? Math.max(3, Math.min(16, Math.floor(420 / t.sms))) : 0;
  const height = AXIS + t.streams.length * STREAM + (t.sms ? 10 + t.sms * smRow : 0), {ctx, width} = canvasOf("timeline", height);
  const span = time.to - time.from, x = ns => LABEL + (ns - time.from) / span * (width - LABEL), ink = css("--ink"), soft = css("--soft"), grid = css("--grid");
  time.at = [];
  time.marks = {operations: 0, ctas: 0};
  ctx.fillStyle = soft;
  for (const v of ticks(time.from, time.to, (width - LABEL) / 110)) {
    ctx.fillStyle = grid;
    ctx.fillRect(Math.round(x(v)), AXIS - 4, 1, height - AXIS + 4);
    ctx.fillStyle = soft;
    ctx.textAlign = x(v) > width - 30 ? "right" : "center";
    ctx.fillText(si(v * 1e-9, "s", 5), Math.max(LABEL + 14, x(v)), 9);
  }
  ctx.textAlign = "left";
  ctx.save();
  const bar = (o, top, tall, colour, text, kind) => {
    const left = Math.max(LABEL, x(o.from)), right = Math.min(width, x(o.to));
    if (right < LABEL || left > width) return;
    const wide = Math.max(1, right - left);
    ctx.globalAlpha = state.kernel && o.name !== state.kernel ? 0.3 : 1;
    ctx.fillStyle = colour;
    ctx.fillRect(left, top, wide > 2 ? wide - 0.6 : wide, tall);
    ctx.globalAlpha = 1;
    time.marks[kind]++;
    time.at.push({left, right: left + wide, top, bottom: top + tall, o});
    if (text && wide > 40) {
      ctx.save();
      ctx.beginPath();
      ctx.rect(left, top, wide - 4, tall);
      ctx.clip();
      ctx.fillStyle = inkOn(colour);
      ctx.fillText(text, left + 5, top + tall / 2);
      ctx.restore();
    }
  };
  t.streams.forEach((s, i) => {
    const top = AXIS + i * STREAM;
    ctx.fillStyle = ink;
    ctx.fillText(s.name.replace("default stream", "default"), 0, top + STREAM / 2);
    for (const o of t.ops) if (o.lane === s)
      bar(o, isCopy(o) ? top + STREAM / 4 : top + 2, isCopy(o) ? STREAM / 2 : STREAM - 4, isCopy(o) ? soft : kernelColour(t, o.name), isCopy(o) ? "" : o.name, "operations");
  });
  const base = AXIS + t.streams.length * STREAM + 10, tall = smRow / t.slots, every = smRow >= 11 ? 1 : Math.ceil(11 / smRow);
  for (let s = 0; s < t.sms; s++) {
    if (s % every) continue;
    ctx.fillStyle = soft;
    ctx.fillText("SM " + s, 0, base + s * smRow + Math.max(5, smRow / 2));
  }
  for (const c of t.ctas) bar(c, base + c.sm * smRow + c.slot * tall, Math.max(0.75, tall - (tall > 3 ? 0.5 : 0)), kernelColour(t, c.name), "", "ctas");
  ctx.restore();
  drawTimeWords(run, t);
}
function drawTimeWords(run, t) {
  const copies = t.ops.filter(isCopy).length, step = run.ctas?.step ?? 1;
  $("time-note").textContent = plural(t.ops.length - copies, "kernel") + " and " + plural(copies, "copy", "copies") + " or fills on " + (run.streams.length > 1 ? run.streams.length + " streams" : "one stream") +
    (t.sms ? "; below, the CTAs of each SM, a row a slot" + (step > 1 ? " (one CTA in " + step + ")" : "") : "") +
    ". Drag, or use the buttons or + \u2212 \u2190 \u2192 0, to see a part of the time.";
  $("timeline").setAttribute("aria-label", "Time line of " + si(t.end * 1e-9, "s") + ": " + $("time-note").textContent);
  const items = t.names.slice(0, FEW).map(n => [kernelColour(t, n), shortName(n)]);
  if (t.names.length > FEW) items.push([null, t.names.length - FEW + " more kernels in the same colours"]);
  if (copies) items.push([css("--soft"), "copies and fills"]);
  $("time-key").replaceChildren(...items.map(([colour, text]) => {
    const li = element("li"), i = element("i");
    if (colour) { i.style.background = colour; li.append(i); }
    li.append(text);
    return li;
  }));
}
function moveTime(from, to) {
  const end = runs[state.run].time.end, span = Math.max(20, Math.min(end, to - from));
  time.from = Math.max(0, Math.min(from, end - span));
  time.to = time.from + span;
  drawTimeline();
}
const timeMoves = {
  "+": () => zoomTime(0.5), "\u2212": () => zoomTime(2), "\u2190": () => moveTime(time.from - (time.to - time.from) / 4, time.to - (time.to - time.from) / 4),
  "\u2192": () => moveTime(time.from + (time.to - time.from) / 4, time.to + (time.to - time.from) / 4), all: () => moveTime(0, runs[state.run].time.end)};
function zoomTime(factor, at = (time.from + time.to) / 2) { moveTime(at - (at - time.from) * factor, at + (time.to - at) * factor); }
const describeOp = o => o.kind == null ? "SM " + o.sm + ", slot " + o.slot + ": a CTA of " + o.name + ", " + whole(o.cycles) + " cycles" :
  (isCopy(o) ? o.kind + " of " + si(o.bytes, "B") : o.name) + ", from " + si(o.from * 1e-9, "s", 6) + " for " + si((o.to - o.from) * 1e-9, "s", 4);
function beginTime() {
  for (const [name, move] of Object.entries(timeMoves)) {
    const label = {"+": "shorter part", "\u2212": "longer part", "\u2190": "earlier", "\u2192": "later", all: "the whole time"}[name];
    const button = element("button", name, {type: "button", title: label, onclick: move});
    button.setAttribute("aria-label", label);
    $("time-tools").append(button);
  }
  const c = $("timeline"), keys = {"+": "+", "=": "+", "-": "\u2212", ArrowLeft: "\u2190", ArrowRight: "\u2192", "0": "all"};
  c.addEventListener("keydown", e => { if (keys[e.key]) { timeMoves[keys[e.key]](); e.preventDefault(); } });
  c.addEventListener("wheel", e => {
    if (!e.ctrlKey) return;
    e.preventDefault();
    zoomTime(e.deltaY > 0 ? 1.3 : 1 / 1.3, time.from + (e.offsetX - LABEL) / (c.clientWidth - LABEL) * (time.to - time.from));
  }, {passive: false});
  let held = null;
  c.addEventListener("pointerdown", e => { held = {x: e.clientX, from: time.from, to: time.to}; });
  addEventListener("pointerup", () => { held = null; });
  c.addEventListener("pointermove", e => {
    if (held && e.buttons) {
      const by = (held.x - e.clientX) / (c.clientWidth - LABEL) * (held.to - held.from);
      if (Math.abs(held.x - e.clientX) > 3) moveTime(held.from + by, held.to + by);
    }
    const hit = time.at.findLast(b => e.offsetX >= b.left - 1 && e.offsetX <= b.right + 1 && e.offsetY >= b.top && e.offsetY <= b.bottom);
    $("time-said").textContent = hit ? describeOp(hit.o) : "";
  });
  time.to = prepareTime(runs[state.run]).end;
}

/* ---- maps: a row an SM, slice or channel, a column an interval ---- */
const mapKinds = [
  {id: "sm.issue_slots_used", row: "SM", label: "issue slots used by each SM", most: (r, i) => of(i, "cycles") * Number(r.config["sm.schedulers"]), show: v => percent(v)},
  {id: "l1d.accesses", row: "SM", label: "L1D accesses of each SM, a cycle", most: (r, i) => of(i, "cycles"), show: v => v.toFixed(3) + " a cycle"},
  {id: "l2.accesses", row: "slice", label: "accesses of each L2 slice, an L2 cycle", most: (r, i) => of(i, "cycles") * Number(r.config["gpu.l2_clock"]) / Number(r.config["gpu.core_clock"]), show: v => v.toFixed(3) + " a cycle"},
  {id: "dram.busy", row: "channel", label: "data bus of each DRAM channel busy", most: (r, i) => of(i, "cycles") * Number(r.config["gpu.dram_clock"]) / Number(r.config["gpu.core_clock"]), show: v => percent(v)},
];
const map = {kind: mapKinds[0], x: 0, y: 0, cells: 0};
const mapRows = (run, kind) => deep(run.intervals.find(i => i.each)?.each, kind.id)?.length ?? 0;
function drawMap() {
  const run = runs[state.run], rows = mapRows(run, map.kind);
  $("maps-section").hidden = !runs.some(r => mapRows(r, mapKinds[0]));
  if (!rows) return;
  const cells = run.intervals.map(i => ({from: startOf(run, i), to: startOf(run, i) + of(i, "cycles"), values: deep(i.each, map.kind.id).map(v => v / Math.max(1, map.kind.most(run, i)))}));
  const end = cells.reduce((m, c) => Math.max(m, c.to), 1), most = Math.max(1e-9, ...cells.map(c => Math.max(...c.values)));
  const tall = Math.max(3, Math.min(22, Math.floor(420 / rows))), {ctx, width, height} = canvasOf("map", rows * tall + AXIS);
  const x = v => LABEL + v / end * (width - LABEL), [r, g, b] = channels(colours()[0]), [r0, g0, b0] = channels(css("--page"));
  Object.assign(map, {cellList: cells, end, rows, tall, cells: 0});
  for (const c of cells) c.values.forEach((v, y) => {
    const s = v / most, left = x(c.from);
    ctx.fillStyle = `rgb(${r0 + (r - r0) * s | 0}, ${g0 + (g - g0) * s | 0}, ${b0 + (b - b0) * s | 0})`;
    ctx.fillRect(left, y * tall, Math.max(1, x(c.to) - left + 0.3), tall - (tall > 6 ? 1 : 0));
    map.cells++;
  });
  const every = Math.max(1, Math.ceil(13 / tall));
  ctx.fillStyle = css("--soft");
  for (let y = 0; y < rows; y += every) ctx.fillText(map.kind.row + " " + y, 0, y * tall + Math.max(7, tall / 2));
  ctx.textAlign = "center";
  for (const v of ticks(0, end, (width - LABEL) / 90)) ctx.fillText(si(v), Math.min(width - 18, Math.max(LABEL + 8, x(v))), height - 10);
  $("maps-note").textContent = "A row " + (map.kind.row === "SM" ? "an SM" : "a " + map.kind.row) + ", a column an interval of " + whole(Math.max(...run.intervals.map(i => of(i, "cycles")))) +
    " core cycles at most; across, core cycles of the run. Point at a cell, or move with the arrow keys.";
  $("maps-scale").replaceChildren("0", element("i"), map.kind.show(most));
  $("map").setAttribute("aria-label", "Map of " + map.kind.label + ": " + rows + " rows over " + whole(end) + " cycles, at most " + map.kind.show(most));
}
function sayCell(x, y) {
  const c = map.cellList?.[x];
  if (!c || y < 0 || y >= map.rows) return;
  Object.assign(map, {x, y});
  $("map-said").textContent = map.kind.row + " " + y + ", cycles " + whole(c.from) + " to " + whole(c.to) + ": " + map.kind.show(c.values[y]);
}
function beginMap() {
  const c = $("map");
  options($("maps-what"), mapKinds, map.kind.id, v => { map.kind = mapKinds.find(k => k.id === v); });
  c.addEventListener("pointermove", e => {
    const at = (e.offsetX - LABEL) / (c.clientWidth - LABEL) * map.end;
    sayCell(map.cellList.findIndex(i => at >= i.from && at < i.to), Math.floor(e.offsetY / map.tall));
  });
  c.addEventListener("keydown", e => {
    const by = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[e.key];
    if (!by) return;
    e.preventDefault();
    sayCell(map.x + by[0], map.y + by[1]);
  });
}
let resized = null;
addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(() => { drawTimeline(); drawMap(); drawMemory(); }, 80); });
shown.push({begin: beginTime, draw: drawTimeline, of: "kernel"}, {begin: beginMap, draw: drawMap});
