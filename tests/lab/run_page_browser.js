// The pages of `heddle run --page` and `heddle view` in a real browser: run_page_browser.js PAGE TWO PLAIN BARE [SCREENSHOTS]. PAGE is of bfs on
// gtx480 with everything that --detail records, TWO has a second run with a larger L1D beside it, PLAIN was recorded without --detail, BARE is PAGE without
// the text of its source.
// Last line "N passed, N failed".
"use strict";
const fs = require("node:fs");
const {check, inBrowser, choose, ascending} = require("../lib/browser_kit.js");
const [page, two, plain, bare, shots] = process.argv.slice(2);
const text = id => `return document.getElementById("${id}").textContent`;
const cells = id => `return [...document.querySelectorAll("#${id} tbody tr")].map(r => [...r.cells].map(c => c.textContent))`;
const head = (id, name) => `[...document.querySelectorAll("#${id} th button")].find(b => b.textContent === "${name}").click()`;
const hidden = id => `return document.getElementById("${id}").hidden`;
async function shoot(b, name) { if (shots) fs.writeFileSync(shots + name + ".png", Buffer.from(await b.shot(), "base64")); }

/* Whether a canvas has more than one colour: something was drawn. */
const painted = id => `const c = document.getElementById("${id}"), copy = new OffscreenCanvas(c.width, c.height), ctx = copy.getContext("2d", {willReadFrequently: true}), seen = new Set();
  ctx.drawImage(c, 0, 0); const d = ctx.getImageData(0, 0, c.width, c.height).data;
  for (let i = 0; i < d.length && seen.size < 4; i += 4) if (d[i + 3]) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]); return seen.size;`;

async function testNumbers(b) {
  const tiles = await b.js(`return [...document.querySelectorAll("#tiles .tile")].map(t => t.textContent)`);
  const cycles = await b.js(`return runs[0].cycles`);
  check("tiles with the run's own numbers", tiles.length === 8 && tiles[0].includes(cycles.toLocaleString("en")), tiles);
  check("what limits it, in words", /^\d+ % of the issue slots were used\. The largest loss: waiting for loads, /.test(await b.js(text("limit"))));
  let rows = await b.js(cells("kernels"));
  check("kernels, the longest first", rows.length === 2 && rows[0][0] === "bfs_expand" && rows[1][0] === "bfs_advance", rows);
  await b.js(choose("kernels-by", "launch"));
  rows = await b.js(cells("kernels"));
  check("launches", rows.length === await b.js(`return runs[0].launches`), rows.length);
  await b.js(head("kernels", "cycles"));
  const numbers = list => list.map(r => Number(r[3].replaceAll(",", "")));
  check("sorted by cycles", ascending(numbers(await b.js(cells("kernels")))));
  await b.js(head("kernels", "cycles"));
  rows = await b.js(cells("kernels"));
  check("and the other way", ascending(numbers(rows).reverse()) && numbers(rows).reduce((s, v) => s + v) === cycles, rows.map(r => r[3]));
  await b.js(`const f = document.getElementById("kernels-filter"); f.value = "advance"; f.dispatchEvent(new Event("input"))`);
  check("filtered", (await b.js(cells("kernels"))).every(r => r[1] === "bfs_advance"));
  await b.js(`const f = document.getElementById("kernels-filter"); f.value = ""; f.dispatchEvent(new Event("input"))`);
  await b.js(choose("kernels-by", "name"));
  const stats = await b.js(cells("stats"));
  const row = stats.find(r => r[0] === "l1d.hits");
  check("all statistics with unit and meaning", stats.length > 200 && row && row[2] === "accesses" && row[3].length > 10, row);
  check("the configuration", (await b.js(cells("config"))).some(r => r[0] === "gpu.sms" && r[1] === "15"));
}

async function testTime(b) {
  const marks = await b.js(`return [time.marks, runs[0].operations.length, runs[0].ctas.rows.length, runs[0].sm.ctas]`);
  check("every operation and CTA is on the time line", marks[0].operations === marks[1] && marks[0].ctas === marks[2] && marks[2] === marks[3], marks);
  check("it is drawn", await b.js(painted("timeline")) >= 4);
  const inside = await b.js(`return time.at.every(m => m.left >= LABEL - 1 && m.right <= document.getElementById("timeline").clientWidth + 1 && m.right > m.left)`);
  check("inside its frame", inside);
  const apart = await b.js(`const by = new Map(); for (const c of runs[0].time.ctas) { const k = c.sm + ":" + c.slot; if (!by.has(k)) by.set(k, []); by.get(k).push(c); }
    return [...by.values()].every(l => l.sort((a, b) => a.from - b.from).every((c, i) => !i || c.from >= l[i - 1].to - 1e-6))`);
  check("CTAs of a slot follow each other", apart);
  await b.js(`document.getElementById("timeline").dispatchEvent(new KeyboardEvent("keydown", {key: "+"}))`);
  const zoomed = await b.js(`return [time.to - time.from, runs[0].time.end, time.marks.operations]`);
  check("a part of the time by key", zoomed[0] * 2 - zoomed[1] < 1 && zoomed[2] < marks[1], zoomed);
  await b.js(`document.querySelector('#time-tools button[aria-label="the whole time"]').click()`);
  check("and the whole by button", await b.js(`return time.to - time.from === runs[0].time.end`));
  const said = await b.js(`const m = time.at.find(x => x.o.name === "bfs_expand" && x.o.kind === "kernel"), c = document.getElementById("timeline"), r = c.getBoundingClientRect();
    c.dispatchEvent(new PointerEvent("pointermove", {clientX: r.left + (m.left + m.right) / 2, clientY: r.top + m.top + 3})); return document.getElementById("time-said").textContent`);
  check("what is under the pointer", /^bfs_expand, from .* for /.test(said), said);
  const map = await b.js(`return [map.cells, runs[0].intervals.length, map.rows]`);
  check("a cell for each SM and interval", map[2] === 15 && map[0] === map[1] * 15 && map[1] > 100, map);
  check("the map is drawn", await b.js(painted("map")) >= 4);
  for (const [kind, rows] of [["l2.accesses", 12], ["dram.busy", 6], ["l1d.accesses", 15], ["sm.issue_slots_used", 15]]) {
    await b.js(choose("maps-what", kind));
    const got = await b.js(`return [map.rows, Math.max(...map.cellList.flatMap(c => c.values))]`);
    check("the map of " + kind, got[0] === rows && got[1] > 0 && got[1] <= 1.01, got);
  }
  await b.js(`const c = document.getElementById("map"); c.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"})); c.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown"}))`);
  check("cells by arrow keys", /^SM 1, cycles \d[\d,]* to \d[\d,]*: /.test(await b.js(text("map-said"))), await b.js(text("map-said")));
}

async function testCharts(b) {
  const bars = id => b.js(`const c = charts["${id}"]; return c.data.datasets.map((d, i) => c.getDatasetMeta(i).data.map(e => [e.width, d.data[e.$context?.dataIndex ?? 0]]))`);
  const stalls = await b.js(`return charts.stalls.data.labels.map((l, i) => charts.stalls.data.datasets.reduce((s, d) => s + d.data[i], 0))`);
  check("issue slots add up to 100 %", stalls.length === 3 && stalls.every(v => Math.abs(v - 100) < 1e-6), stalls);
  check("stalls have their marks", (await bars("stalls")).some(s => s.some(e => e[0] > 20)));
  const energy = await b.js(`return [charts.energy.data.datasets.reduce((s, d) => s + d.data[0], 0), runs[0].energy.total]`);
  check("energy adds up", Math.abs(energy[0] / energy[1] - 1) < 1e-6, energy);
  check("energy has its marks", (await bars("energy")).some(s => s.some(e => e[0] > 20)));
  const roof = await b.js(`const c = charts.roof; return c.data.datasets.map((d, i) => [d.label, d.data.length, c.getDatasetMeta(i).data.every(e => Number.isFinite(e.x) && Number.isFinite(e.y))])`);
  check("a point a kernel and level, and three roofs", roof.length === 6 && roof.slice(0, 3).every(d => d[1] === 2 && d[2]) && roof.slice(3).every(d => d[1] === 3 && d[2]), roof);
  const below = await b.js(`const peak = runs[0].peak; return roofLevels.every((l, i) => charts.roof.data.datasets[i].data.every(p => p.y * 1e9 <= Math.min(peak.instructions, l.peak(runs[0]) * p.x) * 1.001))`);
  check("no kernel is above its roof", below);
  const svg = await b.js(`const s = document.querySelector("#memory svg"); return [s.querySelectorAll("rect.box").length, s.querySelectorAll("line.flow").length, s.getAttribute("aria-label"), s.textContent]`);
  check("four levels and six arrows", svg[0] === 4 && svg[1] === 6 && /L2, 12 slices: hits /.test(svg[2]) && /DRAM, 6 channels/.test(svg[3]), svg);
  const whole = svg[3];
  await b.js(`document.querySelector("#kernels tbody tr").click()`);
  const one = await b.js(`return [document.querySelector("#memory svg").textContent, document.getElementById("memory-kernel").value]`);
  check("of a chosen kernel", one[0] !== whole && one[1] === "bfs_expand", one[1]);
  await b.js(choose("memory-kernel", ""));
  const n = await b.js(`return runs[0].intervals.length`);
  for (const kind of ["ipc", "l1", "l2", "latency", "noc", "dram", "power", "slots"]) {
    await b.js(choose("lines-what", kind));
    const line = await b.js(`return charts.lines.data.datasets.map(d => [d.data.length, d.data.some(p => p.y > 0), d.data.every((p, i) => !i || p.x >= d.data[i - 1].x)])`);
    check("over time: " + kind, line.length > 0 && line.every(d => d[0] === 2 * n) && line.some(d => d[1]) && line.every(d => d[2]), line);
  }
}

async function testSource(b) {
  const hot = await b.js(cells("hot"));
  const shares = hot.map(r => parseFloat(r[2]));
  check("lines, the dearest first", hot.length > 10 && ascending([...shares].reverse()) && shares[0] > 10 && hot[0][0].startsWith("bfs.cu:"), hot[0]);
  check("with their text", hot.slice(0, 5).every(r => r[1].length > 4), hot.slice(0, 5));
  check("shares add up", Math.abs(shares.reduce((s, v) => s + v) - 100) < 2, shares);
  const first = await b.js(`const l = [...runs[0].lines.values()].sort((a, b) => spent(b) - spent(a)); return l.map(x => x.line)`);
  /* A line far down: both panes go to it. */
  const seen = `const box = document.getElementById(arguments[0]), tr = box.querySelector("tr.chosen, tr.related"); if (!tr) return null;
    const r = tr.getBoundingClientRect(), f = box.getBoundingClientRect(); return [tr.dataset.line, r.top >= f.top && r.bottom <= f.bottom]`;
  await b.js(`document.documentElement.style.scrollBehavior = "auto"; document.getElementById("source-code").scrollTop = 0; document.getElementById("ptx-code").scrollTop = 0`);
  await b.js(`document.querySelectorAll("#hot tbody tr")[0].click()`);
  const source = await b.js(seen, "source-code"), ptx = await b.js(seen, "ptx-code");
  check("a chosen line is shown in the source", source && Number(source[0]) === first[0] && source[1], source);
  check("and its PTX beside it", ptx && ptx[1], ptx);
  const rows = await b.js(`const key = "workloads/bfs/bfs.cu:" + ${first[0]}; return [...document.querySelectorAll("#ptx-code tr.related")].every(tr => tr.dataset.key === key)`);
  check("all of its PTX and nothing else", rows);
  check("what it costs in words", /issue slots; .* lanes/.test(await b.js(text("line-detail"))), await b.js(text("line-detail")));
  await b.js(`[...document.querySelectorAll("#ptx-code tr.cost button")].at(-1).click()`);
  const back = await b.js(seen, "source-code");
  check("from the PTX to its source", back && back[1] && Number(back[0]) !== first[0], back);
  const sums = await b.js(`return [runs[0].ptx.reduce((s, f) => s + f.spent, 0), runs[0].spent]`);
  check("PTX costs what its source does", sums[0] === sums[1], sums);
  await b.js(`document.getElementById("all-columns").click()`);
  const heads = await b.js(`return [...document.querySelectorAll("#source-code th[scope=col]")].map(h => h.textContent).join()`);
  check("all columns", heads === ",slots,issues,lanes,lines,sectors,hits,latency,", heads);
  await b.js(`document.getElementById("all-columns").click()`);
}

async function testLook(b) {
  for (const [theme, colour] of [["dark", "rgb(13, 13, 13)"], ["light", "rgb(249, 249, 247)"]]) {
    check(theme, await b.js(choose("theme", theme) + `; return getComputedStyle(document.body).backgroundColor`) === colour);
    check("drawn in " + theme, await b.js(painted("map")) >= 4 && await b.js(painted("timeline")) >= 4);
    await shoot(b, "run-" + theme);
  }
  check("links to every part", await b.js(`return [...document.querySelectorAll("nav a")].every(a => document.querySelector(a.getAttribute("href"))) && document.querySelectorAll("nav a").length === 12`));
  check("every chart says what it is", await b.js(`return [...document.querySelectorAll("canvas, svg")].every(c => c.getAttribute("role") === "img" && c.getAttribute("aria-label")?.length > 10)`));
  check("nothing is fetched", await b.js(`return performance.getEntriesByType("resource").filter(e => !e.name.startsWith("data:")).length`) === 0);
}

async function testTwo(b) {
  await b.go(two);
  const rows = await b.js(cells("kernels"));
  check("kernels of both", rows.length === 2 && rows.every(r => /^[+\u2212]\d/.test(r[3]) || r[3] === "same"), rows);
  const cycles = await b.js(`return runs.map(r => r.cycles)`);
  check("how much faster", (await b.js(text("limit"))).includes((Math.max(...cycles) / Math.min(...cycles)).toFixed(3) + " times as fast"), cycles);
  check("bars of both", await b.js(`return charts.stalls.data.labels.join()`) === "the whole run A,the whole run B,bfs_expand A,bfs_expand B,bfs_advance A,bfs_advance B");
  check("both diagrams", await b.js(`return document.querySelectorAll("#memory svg").length`) === 2);
  const differs = await b.js(cells("config"));
  check("what differs in the configuration is first", differs[0][0] === "l1.ways" && differs[0][1] === "4" && differs[0][2] === "16" && differs[0][3] === "yes" && differs[1][3] === "", differs.slice(0, 2));
  check("lines with their change", (await b.js(cells("hot"))).every(r => /%|same|new/.test(r[4])));
  await b.js(choose("lines-what", "ipc"));
  check("two lines over time", await b.js(`return charts.lines.data.datasets.length`) === 2);
  const before = await b.js(`return runs[state.run].time.end`);
  await b.js(choose("show", "1"));
  check("the other's time line", await b.js(`return runs[state.run].time.end`) < before && await b.js(`return time.marks.ctas === runs[1].ctas.rows.length && time.to === runs[1].time.end`));
  await shoot(b, "two");
}

async function testPlain(b) {
  await b.go(plain);
  check("what is missing is said", /recorded without a time line, CTAs, load over time, the cost of source lines: run it with --detail/.test(await b.js(text("missing"))), await b.js(text("missing")));
  for (const id of ["time-section", "maps-section", "lines-section", "source-section"]) check(id + " is left out", await b.js(hidden(id)));
  check("the rest is there", (await b.js(cells("kernels"))).length === 2 && !(await b.js(hidden("roof-section"))));
}

async function testBare(b) {
  await b.go(bare);
  check("the source is said to be missing", /not where this run could read them/.test(await b.js(text("source-code"))));
  await b.js(`document.documentElement.style.scrollBehavior = "auto"; document.querySelector("#hot tbody tr").click()`);
  const rows = await b.js(`return [...document.querySelectorAll("#ptx-code tr.related")].map(tr => tr.cells[3].textContent)`);
  check("PTX alone, and a line's part of it", rows.length > 1 && rows.every(r => /;/.test(r)), rows);
}

inBrowser(async b => {
  await b.size(1280, 1000);
  await b.go(page);
  await testNumbers(b);
  await testTime(b);
  await testCharts(b);
  await testSource(b);
  await testLook(b);
  await testTwo(b);
  await testPlain(b);
  await testBare(b);
  await b.phone(390);
  for (const file of [page, two, plain]) {
    await b.go(file);
    const wide = await b.js(`return [innerWidth, document.documentElement.scrollWidth, ...[...document.querySelectorAll("header, section, .controls, .tiles, svg, .pane")].map(e => e.getBoundingClientRect().right)]`);
    check("it fits a phone", wide[0] === 390 && Math.max(...wide) <= 390, wide);
    if (file === page) await shoot(b, "phone");
  }
  const log = await b.log();
  check("no word on the console", log.length === 0, log);
});
