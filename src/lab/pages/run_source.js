/* Source and PTX side by side with the cost of each line. What a line costs is in issue slots: those in which it was issued and those that
 * were lost while a warp stood before it. */
"use strict";
const spent = l => l ? l.executions + l.stall_cycles - (l.stalls.idle ?? 0) : 0;
const reasonOf = l => { const keys = stallKeys.filter(k => k !== "idle" && l.stalls[k] > 0); return keys.length ? keys.reduce((a, b) => l.stalls[b] > l.stalls[a] ? b : a) : null; };
const lineKey = (file, line) => file + ":" + line;
const tail = file => file.split("/").at(-1);
const source = {chosen: null, all: false};
function prepareSource(run) {
  if (run.lines) return;
  run.lines = new Map((run.profile ?? []).map(l => [lineKey(l.file, l.line), l]));
  run.spent = [...run.lines.values()].reduce((s, l) => s + spent(l), 0) || 1;
  run.texts = new Map(Object.entries(run.sources ?? {}).filter(([, text]) => text != null).map(([file, text]) => [file, text.split("\n")]));
  run.files = unique([...run.lines.values()].map(l => l.file)).filter(f => run.texts.has(f));
  for (const f of run.ptx ?? []) {
    f.at = new Map(f.lines.map(l => [l.ptx_line, l]));
    f.spent = f.lines.reduce((s, l) => s + spent(l), 0);
  }
  run.functions = [...(run.ptx ?? [])].sort((a, b) => b.spent - a.spent);
}
/* Text of a source line; "" where the file is not there. */
function textOf(run, file, line) {
  return run.texts.get(file)?.[line - 1]?.trim() ?? "";
}

/* ---- the hottest lines ---- */
function hotColumns(run) {
  const share = (l, r) => spent(l) / r.spent, number = (name, get, show) => ({name, number: true, get, show: l => get(l) == null ? "\u2013" : show(get(l))});
  const other = l => runs[1 - state.run].lines.get(lineKey(l.file, l.line));
  return [{name: "line", get: l => tail(l.file) + ":" + l.line}, {name: "text", get: l => textOf(run, l.file, l.line) || l.instruction, className: "code-text"},
    number("slots", l => share(l, run), percent),
    ...(two ? [number("slots " + letters[1 - state.run], l => other(l) ? share(other(l), runs[1 - state.run]) : null, percent),
      {name: "change", number: true, get: l => other(l) ? spent(l) / spent(other(l)) - 1 : null, show: l => other(l) ? changeText(spent(other(l)), spent(l)) : "new"}] : []),
    number("issues", l => l.executions, whole), {name: "most lost", get: l => reasonOf(l) ? stallNames[reasonOf(l)] : ""},
    number("lost", l => l.stall_cycles, whole), number("lanes", l => l.active_lanes, v => v.toFixed(1)),
    number("lines an access", l => l.memory_instructions ? l.transactions / l.memory_instructions : null, v => v.toFixed(2)),
    number("sectors an access", l => l.memory_instructions && l.sectors != null ? l.sectors / l.memory_instructions : null, v => v.toFixed(2)),
    number("L1D hits", l => ratio(l.l1_hits, l.transactions), percent), number("latency", l => l.loads ? l.mean_latency : null, whole),
    {name: "kernel", get: l => shortName(l.function)}];
}

/* ---- the two panes ---- */
const paneColumns = [
  {name: "issues", get: l => si(l.executions)}, {name: "lanes", get: l => l.active_lanes.toFixed(1)},
  {name: "lines", get: l => l.memory_instructions ? (l.transactions / l.memory_instructions).toFixed(1) : ""},
  {name: "sectors", get: l => l.memory_instructions && l.sectors != null ? (l.sectors / l.memory_instructions).toFixed(1) : ""},
  {name: "hits", get: l => l.transactions ? percent(l.l1_hits / l.transactions, 0) : ""}, {name: "latency", get: l => l.loads ? whole(l.mean_latency) : ""}];
/* A bar as long as its share of the dearest line, in the colours of its parts. */
function shareCell(l, run, most) {
  const td = element("td", null, {className: "share"}), bar = element("i");
  if (!l) return td;
  const parts = [["issued", l.executions], ...stallKeys.filter(k => k !== "idle").map(k => [k, l.stalls[k] ?? 0])].filter(p => p[1] > 0), sum = spent(l) || 1;
  let at = 0;
  bar.style.width = Math.max(1, 100 * spent(l) / most) + "%";
  bar.style.background = "linear-gradient(90deg," + parts.map(([key, n]) => { const from = at; at += 100 * n / sum; return `${stallColour(key)} ${from}% ${at}%`; }).join(",") + ")";
  td.append(bar, element("span", percent(spent(l) / run.spent)));
  td.title = parts.map(([key, n]) => (key === "issued" ? "issued" : stallNames[key]) + " " + whole(n)).join(", ");
  return td;
}
function pane(id, rows, run) {
  const extra = source.all ? paneColumns : paneColumns.slice(0, 1), most = Math.max(1, ...rows.map(r => spent(r.cost)));
  const t = element("table"), head = element("tr"), thead = element("thead"), body = element("tbody");
  head.append(...["", "slots", ...extra.map(c => c.name), ""].map((n, i, a) => element("th", n, {scope: "col", className: i > 1 && i < a.length - 1 ? "number" : ""})));
  thead.append(head);
  for (const r of rows) {
    const tr = element("tr", null, {className: r.cost ? "cost" : ""}), th = element("th", null, {scope: "row", className: "number"});
    if (r.cost) { const b = element("button", r.number, {type: "button"}); b.setAttribute("aria-label", "line " + r.number + ", " + percent(spent(r.cost) / run.spent) + " of the slots"); th.append(b); }
    else th.textContent = r.number;
    tr.append(th, shareCell(r.cost, run, most), ...extra.map(c => element("td", r.cost ? c.get(r.cost) : "", {className: "number"})), element("td", r.text, {className: "text"}));
    tr.dataset.line = r.number;
    if (r.cost) tr.addEventListener("click", () => choose(r.file, r.line, id));
    if (r.file) tr.dataset.key = lineKey(r.file, r.line);
    body.append(tr);
  }
  t.append(thead, body);
  $(id).replaceChildren(t);
}
function drawSourcePane() {
  const run = runs[state.run], file = $("source-file").value, text = run.texts.get(file);
  if (!text) { $("source-code").replaceChildren(element("p", run.lines.size ? "The source files are not where this run could read them (--source FOLDER says where); the PTX is beside." : "Nothing was recorded.")); return; }
  pane("source-code", text.map((t, i) => ({number: i + 1, text: t, file, line: i + 1, cost: run.lines.get(lineKey(file, i + 1))})), run);
}
function drawPtxPane() {
  const run = runs[state.run], f = run.functions[Number($("ptx-function").value)] ?? run.functions[0];
  if (!f) { $("ptx-code").replaceChildren(element("p", "The report has no PTX.")); return; }
  const rows = f.text == null ? f.lines.map(l => ({number: l.ptx_line, text: l.instruction, file: l.file, line: l.line, cost: l})) :
    f.text.split("\n").map((text, i) => { const cost = f.at.get(f.first_line + i); return {number: f.first_line + i, text, file: cost?.file, line: cost?.line, cost}; });
  pane("ptx-code", rows.map(r => r.cost && !r.file ? {...r, file: "ptx", line: r.number} : r), run);
}
/* Scrolls a row to the middle of its pane, and nothing else. */
function show(pane, row) { if (row) $(pane).scrollTo({top: row.offsetTop - $(pane).clientHeight / 3}); }
function detail(l) {
  const box = $("line-detail");
  box.replaceChildren();
  if (!l) return;
  const parts = [["issued", l.executions], ...stallKeys.filter(k => k !== "idle" && l.stalls[k] > 0).map(k => [k, l.stalls[k]])], key = element("ul", null, {className: "key"});
  for (const [name, n] of parts) {
    const li = element("li"), i = element("i");
    i.style.background = stallColour(name);
    li.append(i, (name === "issued" ? "issued" : stallNames[name]) + " " + whole(n) + " (" + percent(n / (spent(l) || 1), 0) + ")");
    key.append(li);
  }
  box.append(element("strong", tail(l.file) + ":" + l.line + " "), whole(spent(l)) + " issue slots; " + l.active_lanes.toFixed(1) + " of 32 lanes on average" +
    (l.memory_instructions ? "; " + whole(l.memory_instructions) + " accesses of memory, " + (l.transactions / l.memory_instructions).toFixed(2) + " lines" +
      (l.sectors != null ? " and " + (l.sectors / l.memory_instructions).toFixed(2) + " sectors" : "") + " each, " + percent(ratio(l.l1_hits, l.transactions)) + " of the lines found in L1D" : "") +
    (l.loads ? "; a load takes " + whole(l.mean_latency) + " cycles" : "") + ".", key);
}
/* Shows a line in both panes; from: the pane that it was chosen in stays where it is. */
function choose(file, line, from) {
  const run = runs[state.run], key = lineKey(file, line), rows = id => [...$(id).querySelectorAll("tr[data-key]")].filter(tr => tr.dataset.key === key);
  source.chosen = {file, line};
  if (from !== "source-code" && run.texts.has(file) && $("source-file").value !== file) { $("source-file").value = file; drawSourcePane(); }
  const best = run.functions.map((f, i) => [i, f.lines.filter(l => l.file === file && l.line === line).reduce((s, l) => s + spent(l), 0)]).sort((a, b) => b[1] - a[1])[0];
  if (from !== "ptx-code" && best?.[1] > 0 && Number($("ptx-function").value) !== best[0] && !rows("ptx-code").length) { $("ptx-function").value = String(best[0]); drawPtxPane(); }
  document.querySelectorAll(".code tr.related, .code tr.chosen").forEach(e => e.classList.remove("related", "chosen"));
  for (const id of ["source-code", "ptx-code"]) for (const tr of rows(id)) tr.classList.add(id === "source-code" ? "chosen" : "related");
  if (from !== "source-code") show("source-code", rows("source-code")[0]);
  if (from !== "ptx-code") show("ptx-code", rows("ptx-code")[0]);
  detail(run.lines.get(key) ?? run.functions.flatMap(f => f.lines).find(l => l.file === file && l.line === line) ?? (file === "ptx" ? run.functions.flatMap(f => f.lines).find(l => l.ptx_line === line && !l.file) : null));
}
function drawSource() {
  runs.forEach(prepareSource);
  const run = runs[state.run], hot = [...run.lines.values()].sort((a, b) => spent(b) - spent(a));
  $("source-section").hidden = !runs.some(r => r.lines.size);
  if ($("source-section").hidden) return;
  const keep = $("source-file").value, keepFunction = $("ptx-function").value;
  $("source-file").replaceChildren(...run.files.map(f => element("option", tail(f), {value: f})));
  const first = hot.find(l => run.texts.has(l.file))?.file ?? run.files[0] ?? "";
  $("source-file").value = run.files.includes(keep) ? keep : first;
  $("ptx-function").replaceChildren(...run.functions.map((f, i) => element("option", shortName(f.function) + "  " + percent(f.spent / run.spent, 0), {value: String(i)})));
  if (keepFunction && Number(keepFunction) < run.functions.length) $("ptx-function").value = keepFunction;
  $("source-note").textContent = "Lines by the issue slots that they took: issued, or lost while a warp stood before them. A line that waits for a load is counted, not the load. Choose a line to see it in both.";
  table("hot", hotColumns(run), hot, $("hot-filter"), $("hot-count"), (l, tr) => {
    document.querySelectorAll("#hot tr.chosen").forEach(e => e.classList.remove("chosen"));
    tr.classList.add("chosen");
    choose(l.file, l.line, "hot");
  });
  drawSourcePane();
  drawPtxPane();
  if (source.chosen) choose(source.chosen.file, source.chosen.line, "hot");
  else if (hot.length) { show("source-code", $("source-code").querySelector(`tr[data-key="${CSS.escape(lineKey(hot[0].file, hot[0].line))}"]`)); show("ptx-code", $("ptx-code").querySelector("tr.cost")); }
}
function beginSource() {
  $("source-file").addEventListener("change", drawSourcePane);
  $("ptx-function").addEventListener("change", drawPtxPane);
  $("all-columns").addEventListener("change", e => { source.all = e.target.checked; drawSource(); });
}
shown.push({begin: beginSource, draw: drawSource});
