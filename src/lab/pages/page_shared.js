/* What every page uses: its data, colours, charts, tables, choices and the theme. */
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
/* In this order, never by chance: neighbours stay apart for colour-blind eyes. */
const palettes = {
  light: ["#2a78d6", "#eb6834", "#1baf7a", "#eda100", "#e87ba4", "#008300", "#4a3aa7", "#e34948"],
  dark: ["#3987e5", "#d95926", "#199e70", "#c98500", "#d55181", "#008300", "#9085e9", "#e66767"] };
const FEW = palettes.light.length;
const collator = new Intl.Collator("en", {numeric: true});
const unique = list => [...new Set(list)].sort(collator.compare);
const geomean = list => list.length ? Math.exp(list.reduce((s, v) => s + Math.log(v), 0) / list.length) : null;
const short = v => v == null ? "" : Math.abs(v) >= 1e6 ? v.toExponential(3) : Number.isInteger(v) ? v.toLocaleString("en") : v.toPrecision(4);
function element(name, text, properties) {
  const e = Object.assign(document.createElement(name), properties);
  if (text != null) e.textContent = text;
  return e;
}

/* ---- charts ---- */
const charts = {};
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const colours = () => palettes[document.documentElement.dataset.theme === "dark" ? "dark" : "light"];
function draw(id, config) {
  charts[id]?.destroy();
  const ink = css("--soft"), grid = css("--grid");
  const axis = extra => ({ticks: {color: ink}, grid: {color: grid}, border: {color: grid}, ...extra});
  config.options = {animation: false, responsive: true, maintainAspectRatio: false, interaction: {mode: "index", intersect: false},
    plugins: {legend: {labels: {color: ink, boxWidth: 12, boxHeight: 12}, align: "start"},
              tooltip: {callbacks: {label: c => c.dataset.label + ": " + (c.parsed.y == null ? "none" : c.parsed.y.toFixed(3))}}},
    scales: {x: axis({...config.x, grid: {display: false}, ticks: {color: ink, autoSkip: false, maxRotation: 60}}),
             y: axis({title: {display: true, text: config.yTitle, color: ink}, beginAtZero: config.zero})}, ...config.more};
  charts[id] = new Chart($(id), config);
}
const channels = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
/* Steps of one colour, from pale to full. */
function shades(n) {
  const from = channels(css("--surface")), to = channels(colours()[0]);
  return Array.from({length: n}, (_, i) => { const t = 0.35 + 0.65 * (n > 1 ? i / (n - 1) : 1);
    return "#" + from.map((v, k) => Math.round(v + (to[k] - v) * t).toString(16).padStart(2, "0")).join(""); });
}

/* ---- tables ---- */
const LIMIT = 500;
/* columns: {name, get(row), number, show(row)} */
function table(id, columns, rows, filter, count, choose) {
  const sort = {column: null, up: true}, root = $(id), words = () => (filter ? filter.value.toLowerCase().split(/\s+/).filter(Boolean) : []);
  let limit = LIMIT;
  const text = r => columns.map(c => c.get(r) ?? "").join(" ").toLowerCase();
  const texts = new Map(rows.map(r => [r, text(r)]));
  function compare(a, b) {
    const x = sort.column.get(a), y = sort.column.get(b);
    if (x == null || y == null) return (x == null) - (y == null); /* what is missing comes last, either way */
    return (sort.up ? 1 : -1) * (sort.column.number ? x - y : collator.compare(x, y));
  }
  function cells(r) {
    const tr = element("tr");
    for (const c of columns) {
      const v = c.get(r), td = element("td", c.show ? c.show(r) : c.number ? short(v) : v, {className: c.number ? "number" : c.className || ""});
      tr.append(td);
    }
    if (choose) {
      tr.tabIndex = 0;
      tr.addEventListener("click", () => choose(r, tr));
      tr.addEventListener("keydown", e => { if (e.key === "Enter") choose(r, tr); });
    }
    return tr;
  }
  function fill() {
    const need = words(), found = rows.filter(r => need.every(w => texts.get(r).includes(w)));
    if (sort.column) found.sort(compare);
    const body = element("tbody");
    body.append(...found.slice(0, limit).map(cells));
    if (found.length > limit) {
      const tr = element("tr"), td = element("td", null, {colSpan: columns.length}), more = element("button", "show all " + found.length);
      more.addEventListener("click", () => { limit = Infinity; fill(); });
      td.append(more);
      tr.append(td);
      body.append(tr);
    }
    root.tBodies[0]?.remove();
    root.append(body);
    if (count) count.textContent = found.length + " of " + rows.length;
    head.querySelectorAll("th").forEach((th, i) => columns[i] === sort.column
      ? th.setAttribute("aria-sort", sort.up ? "ascending" : "descending") : th.removeAttribute("aria-sort"));
  }
  const head = element("tr");
  for (const c of columns) {
    const th = element("th", null, {scope: "col", className: c.number ? "number" : ""}), button = element("button", c.name, {type: "button"});
    button.addEventListener("click", () => { sort.up = sort.column === c ? !sort.up : true; sort.column = c; fill(); });
    th.append(button);
    head.append(th);
  }
  const thead = element("thead");
  thead.append(head);
  root.replaceChildren(thead);
  if (filter) filter.oninput = fill;
  fill();
}

/* ---- the page: whoever uses these has a function redraw ---- */
function options(select, list, chosen, change) {
  select.replaceChildren(...list.map(o => element("option", o.label ?? o, {value: o.id ?? o})));
  select.value = chosen;
  select.addEventListener("change", () => { change(select.value); redraw(); });
}
const system = matchMedia("(prefers-color-scheme: dark)");
function applyTheme() { document.documentElement.dataset.theme = $("theme").value || (system.matches ? "dark" : "light"); }
$("theme").addEventListener("change", () => { applyTheme(); redraw(); });
system.addEventListener("change", () => { applyTheme(); redraw(); });
applyTheme();
