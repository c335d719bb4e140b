// The page of `heddle report` in a real browser, driven through ChromeDriver with nothing but Node.js:
// browser.js PAGE EMPTY_PAGE LAB_PAGE [SCREENSHOT]. PAGE has 3 workloads, 4 configurations, and failing runs; its title is
// "</script><b>x". LAB_PAGE has claims (T01, T03, T09, T31, B01, C21; T03 under another reading too) and with their runs points of some figures, combinations, and intervals of 2 workloads under 2 settings.
// Last line "N passed, N failed".
"use strict";
const fs = require("node:fs");
const {check, inBrowser, choose, ascending} = require("../lib/browser_kit.js");
const [page, empty, lab, screenshot] = process.argv.slice(2);
const column = n => `return [...document.querySelectorAll("#runs tbody tr")].map(r => r.cells[${n}].textContent)`;
const clickHead = name => `[...document.querySelectorAll("#runs th button")].find(b => b.textContent === "${name}").click()`;

async function testCharts(b) {
  const bars = await b.js(`const c = charts.bars; return c.data.datasets.map((d, i) => c.getDatasetMeta(i).data.map(e => e.height))`);
  check("a series of bars a configuration", bars.length === 4, bars.length);
  check("a bar for each workload and the mean", bars.every(s => s.length === 4 && s.every(h => h > 1)), bars);
  const painted = await b.js(`const c = charts.bars, ratio = c.currentDevicePixelRatio,
      image = c.ctx.getImageData(0, 0, c.canvas.width, c.canvas.height);
    return c.data.datasets.map((d, i) => {
    const e = c.getDatasetMeta(i).data[0], at = 4 * (Math.round((e.y + 6) * ratio) * image.width + Math.round(e.x * ratio));
    return "#" + [...image.data.slice(at, at + 3)].map(v => v.toString(16).padStart(2, "0")).join("") === d.backgroundColor; })`);
  check("the bars are on the canvas in their colours", painted.every(Boolean), painted);
  const lines = await b.js(`const c = charts.lines; return c.data.datasets.map((d, i) => c.getDatasetMeta(i).data.map(e => Number.isFinite(e.y) && d.data[e.$context?.dataIndex ?? 0] > 0))`);
  check("a line for the mean and each workload, a point a value", lines.length === 4 && lines.every(l => l.length === 2 && l.every(Boolean)), lines);
  const heat = await b.js(`return [...document.querySelectorAll("#heat tbody tr")].map(r => [...r.cells].map(c => c.textContent))`);
  check("the heat map has every cell", heat.length === 4 && heat.every(r => r.length === 5 && r.every(Boolean)), heat);
  check("the base is 1", heat.every(r => r[1] === "1.00"), heat);
  const mean = heat.slice(0, 3).map(r => Math.log(r[3])).reduce((a, v) => a + v, 0) / 3;
  check("the last row is the geometric mean", Math.abs(Math.exp(mean) - heat[3][3]) < 0.02, heat);
  const cycles = await b.js(`const r = ok.filter(x => x.workload === "scan"); const of = c => r.find(x => x.configuration === c).cycles;
    return [of(configurations[0]) / of(configurations[2]), charts.bars.data.datasets[2].data[charts.bars.data.labels.indexOf("scan")]]`);
  check("a bar is the quotient of the cycles", Math.abs(cycles[0] - cycles[1]) < 1e-9, cycles);
}

async function testControls(b) {
  await b.js(choose("metric", "l1d.misses"));
  check("another statistic", /^l1d\.misses/.test(await b.js(`return document.getElementById("bars-title").textContent`)));
  await b.js(choose("metric", "speedup"));
  await b.js(`document.getElementById("base").selectedIndex = 1; document.getElementById("base").dispatchEvent(new Event("change"))`);
  const second = await b.js(`return [...document.querySelectorAll("#heat tbody tr")].map(r => r.cells[2].textContent)`);
  check("another base", second.every(v => v === "1.00"), second);
  await b.js(`document.querySelector("#configurations input").click()`);
  check("fewer configurations", await b.js(`return charts.bars.data.datasets.length`) === 3);
  await b.js(choose("setting", "sm.scheduler"));
  check("another setting", await b.js(`return charts.lines.data.labels.join()`) === "gto,lrr");
  const light = await b.js(choose("theme", "light") + `; return getComputedStyle(document.body).backgroundColor`);
  const dark = await b.js(choose("theme", "dark") + `; return getComputedStyle(document.body).backgroundColor`);
  check("light and dark", light === "rgb(249, 249, 247)" && dark === "rgb(13, 13, 13)", [light, dark]);
  await b.js(choose("theme", "light"));
}

async function testTables(b) {
  const all = (await b.js(column(5))).length;
  check("every run is in the table", all === 13, all);
  await b.js(clickHead("cycles"));
  const numbers = v => v.filter(Boolean).map(x => Number(x.replaceAll(",", "")));
  let seen = await b.js(column(5));
  check("sorted by cycles", ascending(numbers(seen)) && numbers(seen).length === 12, seen);
  check("what is missing is last", seen[12] === "", seen);
  await b.js(clickHead("cycles"));
  seen = await b.js(column(5));
  check("and the other way", ascending(numbers(seen).reverse()) && seen[12] === "", seen);
  await b.js(clickHead("workload"));
  check("sorted by name", ascending(await b.js(column(0))));
  check("the sorted column is marked", await b.js(`return document.querySelectorAll('#runs th[aria-sort="ascending"]').length`) === 1);
  await b.js(`const f = document.getElementById("runs-filter"); f.value = "scan l1.ways=4"; f.dispatchEvent(new Event("input"))`);
  seen = await b.js(column(0));
  check("filtered", seen.length === 2 && seen.every(v => v === "scan"), seen);
  await b.js(`document.querySelector("#runs tbody tr").click()`);
  const stats = await b.js(`return [...document.querySelectorAll("#stats tbody tr")].map(r => [...r.cells].map(c => c.textContent))`);
  check("a chosen run shows its statistics", stats.length > 50 && stats.some(r => r[0] === "l1d.hits" && r[2] === "accesses"), stats.length);
  const failures = await b.js(`return [...document.querySelectorAll("#failures tbody tr")].map(r => r.cells[4].textContent)`);
  check("the failed run with its error", failures.length === 1 && failures[0].length > 10, failures);
}

async function testPage(b) {
  await b.size(1280, 1000);
  await b.go(page);
  check("the title is text", await b.js(`return document.getElementById("title").textContent`) === "</script><b>x");
  check("nothing is fetched", await b.js(`return performance.getEntriesByType("resource").filter(e => !e.name.startsWith("data:")).length`) === 0);
  await testCharts(b);
  await testControls(b);
  await testTables(b);
  if (screenshot) fs.writeFileSync(screenshot, Buffer.from(await b.shot(), "base64"));
  await b.phone(360);
  const wide = await b.js(`return [innerWidth, document.documentElement.scrollWidth,
    ...[...document.querySelectorAll("header, section, .controls")].map(e => e.scrollWidth)]`);
  check("it fits a phone", wide[0] === 360 && Math.max(...wide) <= 360, wide);
  if (screenshot) fs.writeFileSync(screenshot + ".phone.png", Buffer.from(await b.shot(), "base64"));
  const log = await b.log();
  check("no word on the console", log.length === 0, log);
}

/* What the page has of the figures of a paper, and what it should have. */
async function figuresOf(b, group) {
  await b.js(choose("drawn-group", group));
  return b.js(`const boxes = [...document.querySelectorAll("#drawn .drawn")], ink = css("--ink");
    const list = data.figures.small.filter(f => f.id[0] === "${group}");
    return list.filter(f => f.missing < f.points).map((f, i) => { const c = charts[chartName(f)], text = boxes[i].textContent;
      const image = c && c.ctx.getImageData(0, 0, c.canvas.width, c.canvas.height), ratio = c && c.currentDevicePixelRatio;
      const colour = m => { const at = 4 * (Math.round(m.y * ratio) * image.width + Math.round(m.x * ratio));
        return "#" + [...image.data.slice(at, at + 3)].map(v => v.toString(16).padStart(2, "0")).join(""); };
      return {id: f.id, kind: f.kind, title: boxes[i].querySelector("h3").textContent, name: figureName(f) + ". " + f.title, missing: f.missing,
        says: text.includes(f.missing + " of " + f.points + " points are not measured") && text.includes("heddle claims ${group} --figures --size small --db lab.db"),
        marks: f.series.flatMap(s => s.low ?? []).filter(v => v != null).length, drawn: c ? c.marked.map(m => colour(m) === ink) : [],
        sets: c ? c.data.datasets.length === f.series.length : true, maps: boxes[i].querySelectorAll("table.map").length,
        rows: boxes[i].querySelectorAll("details tbody tr").length === f.rows.length || f.kind === "maps"}; })`);
}
async function testFigures(b) {
  check("the figures of the papers are shown", await b.js(`return !document.getElementById("drawn-section").hidden`));
  let drawn = [];
  for (const group of ["T", "B", "C"]) drawn = drawn.concat(await figuresOf(b, group));
  const ids = drawn.map(f => f.id);
  check("a chart for each figure with points", ["T:1", "T:4", "T:9 tags", "B:2", "B:5a", "C:3"].every(id => ids.includes(id)), ids);
  check("each under its name", drawn.every(f => f.title === f.name), drawn.map(f => f.title));
  check("each with all its series and numbers", drawn.every(f => f.sets && f.rows), drawn);
  check("every published value has a mark", drawn.every(f => f.kind === "maps" || f.drawn.length === f.marks) && drawn.some(f => f.marks > 3),
    drawn.map(f => [f.id, f.marks, f.drawn.length]));
  check("the marks are on the canvas", drawn.every(f => f.drawn.every(Boolean)), drawn.map(f => [f.id, f.drawn]));
  check("what is missing is said, with the command that makes it", drawn.every(f => !f.missing || f.says), drawn);
  check("maps as tables", drawn.find(f => f.id === "C:3").maps === 4, drawn.find(f => f.id === "C:3"));
  const none = await b.js(`return document.getElementById("drawn-empty").textContent`);
  check("figures without a point are listed", /^Nothing is measured yet of .*Fig 7a/.test(none), none);
  await b.js(choose("drawn-group", "T"));
  const hidden = await b.js(`const c = charts["drawn-T:4"], l = c.legend, item = l.legendItems.find(i => i.text === "published");
    const before = c.marked.length; c.options.plugins.legend.onClick.call(l, {}, item, l); return [before, c.marked.length, c.isDatasetVisible(0)]`);
  check("marks can be hidden", hidden[0] > 0 && hidden[1] === 0 && hidden[2], hidden);
  await b.js(choose("drawn-group", ""));
  const headings = await b.js(`return [...document.querySelectorAll("#drawn > h2")].map(h => h.textContent)`);
  check("all papers at once, each with a heading", headings.length >= 3 && headings[0] === "Tag-split cache", headings);
  for (const theme of ["dark", "light"]) {
    await b.js(choose("theme", theme));
    const f = (await figuresOf(b, "T")).find(x => x.id === "T:4");
    check("marks in the colour of " + theme + " text", f.drawn.length === f.marks && f.drawn.every(Boolean), f);
  }
}

async function testClaims(b) {
  const table = () => b.js(`return [...document.querySelectorAll("#claims tbody tr")].map(r => [...r.cells].map(c => c.textContent))`);
  let rows = await table();
  check("the table of claims", rows.length === 4 && rows.every(r => r[3] && r[4] && r[5] && r[6] && /^(reproduced|differs)$/.test(r[1])), rows);
  check("published beside measured", rows[0][0] === "T01" && rows[0][4] === "90.3 %" && /^[0-9.]+ %$/.test(rows[0][5]), rows[0]);
  check("and no charts: the figures of the papers have them", await b.js(`return !document.querySelector("#claims-section canvas")`));
  const moved = await b.js(`const c = charts.moves, r = data.sensitivity.small[0]; return {hidden: document.getElementById("moves-section").hidden,
    rows: data.sensitivity.small.length, labels: c.data.labels, from: c.data.datasets[0].data[0], wide: c.getDatasetMeta(0).data[0].width,
    id: r.id, measured: r.measured, to: r.bars[0].measured, said: document.getElementById("moves").getAttribute("aria-label")}`);
  check("what a reading moves", !moved.hidden && moved.rows === 1 && moved.id === "T03" && moved.labels.join() === "T03  t.clock=1400" &&
    moved.from[0] === moved.measured && moved.from[1] === moved.to && moved.wide >= 2 && moved.said.startsWith("Bars: T03 "), moved);
  await b.js(choose("claims-group", "B"));
  check("and nothing where none was measured", await b.js(`return document.getElementById("moves-section").hidden`));
  rows = await table();
  check("another paper", rows.map(r => r[0]).join() === "B01", rows);
  check("totals of all", /^\d+ reproduced, \d+ differ, 0 not measured/.test(await b.js(`return document.getElementById("claims-note").textContent`)));
}

async function testCombinations(b) {
  const points = await b.js(`const c = charts.pareto; return c.data.datasets.map((d, i) => c.getDatasetMeta(i).data.map(e => [e.x, e.y]))`);
  const list = await b.js(`return data.combinations.map(c => [c.settings, c.speedup, c.pareto, c.round])`);
  check("a point a combination", points.flat().length === list.length && list.length >= 12, [points.flat().length, list.length]);
  check("the front is marked", points[0].length === list.filter(c => c[2]).length && points[0].length > 0, points[0]);
  check("every point is inside the chart", points.flat().every(p => p.every(Number.isFinite)), points);
  const rows = await b.js(`return [...document.querySelectorAll("#combinations tbody tr")].map(r => r.cells[0].textContent)`);
  check("the table of combinations", rows.length === list.length && rows.includes("the GPU as it is"), rows);
}

async function testTime(b) {
  const lines = await b.js(`return charts.time.data.datasets.map(d => d.data)`);
  check("a time line a configuration", lines.length === 2, lines.length);
  check("time goes forward", lines.every(l => l.length > 3 && ascending(l.map(p => p.x))), lines.map(l => l.length));
  const cycles = await b.js(`const r = timed.filter(x => x.workload === "reduction")[0];
    return [r.cycles, data.intervals[r.id].reduce((s, i) => s + i.cycles, 0)]`);
  check("the intervals are the whole run", cycles[0] === cycles[1], cycles);
  await b.js(choose("time-metric", "l1d.reads"));
  check("another statistic over time", await b.js(`return charts.time.options.scales.y.title.text`) === "l1d.reads per cycle");
  const sum = await b.js(`const r = timed.filter(x => x.workload === "reduction")[0];
    return [value(r, "l1d.reads"), data.intervals[r.id].reduce((s, i) => s + (i["l1d.reads"] ?? 0), 0)]`);
  check("their counts add up to the run's", sum[0] === sum[1] && sum[0] > 0, sum);
}

async function testMaps(b) {
  const cells = await b.js(`return [...document.querySelectorAll("#maps tbody tr")].map(r => r.querySelectorAll("td").length)`);
  check("a map has a cell for each pair of SMs", cells.length === 16 && cells.slice(0, 15).every(n => n === 15), cells);
  const names = await b.js(`return [...document.getElementById("maps-run").options].map(o => o.value)`);
  check("every run with the probe has one", names.length === 4 && names[0].startsWith("cutcp"), names);
  const shade = await b.js(`const r = mapped.find(x => mapName(x) === maps.run), m = data.maps[r.id], most = Math.max(...m.flat());
    const x = m.findIndex(c => c.includes(most)), y = m[x].indexOf(most);
    return getComputedStyle(document.querySelectorAll("#maps tr")[14 - y].querySelectorAll("td")[x]).backgroundColor`);
  check("the largest is the darkest", !/rgba/.test(shade), shade);
}

async function testLab(b) {
  await b.size(1280, 1000);
  await b.go(lab);
  await testFigures(b);
  await testClaims(b);
  await testCombinations(b);
  await testTime(b);
  await testMaps(b);
  if (screenshot) fs.writeFileSync(screenshot + ".lab.png", Buffer.from(await b.shot(), "base64"));
  await b.js(`document.getElementById("time-section").scrollIntoView()`);
  if (screenshot) fs.writeFileSync(screenshot + ".time.png", Buffer.from(await b.shot(), "base64"));
  const wide = await b.js(`return [innerWidth, document.documentElement.scrollWidth]`);
  check("it is as wide as the window", wide[1] <= wide[0], wide);
  const log = await b.log();
  check("no word on the console about it", log.length === 0, log);
}

/* After testPage, which makes the window a phone's. */
async function testFiguresOnPhone(b) {
  await b.go(lab);
  const wide = await b.js(`return [innerWidth, document.documentElement.scrollWidth, document.getElementById("drawn-section").scrollWidth]`);
  check("figures fit a phone", wide[0] === 360 && Math.max(...wide) <= 360, wide);
  const scroll = await b.js(`const s = charts["drawn-T:4"].canvas.closest(".scroll"); return [s.scrollWidth, s.clientWidth]`);
  check("wide charts scroll there", scroll[0] > scroll[1] + 100, scroll);
}

async function testEmpty(b) {
  await b.go(empty);
  check("a page without runs says so", await b.js(`return !document.getElementById("none").hidden && !Object.keys(charts).length`));
  const log = await b.log();
  check("and has no word on the console", log.length === 0, log);
}

inBrowser(async b => {
  await testLab(b);
  await testPage(b);
  await testFiguresOnPhone(b);
  await testEmpty(b);
});
