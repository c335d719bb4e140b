// For tests of pages: a real browser driven through ChromeDriver with nothing but Node.js, and counted checks.
//
//   check(NAME, OK, DETAIL)      counts; shows the detail if it is not so
//   inBrowser(async b => ...)    starts a browser, runs the checks, prints "N passed, N failed" and ends with status 1 if any failed
//
// b has go(FILE), js(SCRIPT), size(WIDTH, HEIGHT), phone(WIDTH), log(), shot().
"use strict";
const {spawn} = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
let passed = 0, failed = 0;

function check(name, ok, detail) {
  if (ok) passed++;
  else { failed++; console.log("FAILED " + name + (detail === undefined ? "" : ": " + JSON.stringify(detail))); }
}

function startDriver() {
  const driver = spawn("chromedriver", ["--port=0"], {stdio: ["ignore", "pipe", "inherit"]});
  return new Promise((resolve, reject) => {
    let text = "";
    driver.stdout.on("data", d => {
      text += d;
      const m = /started successfully on port (\d+)/.exec(text);
      if (m) resolve({driver, root: "http://127.0.0.1:" + m[1]});
    });
    driver.on("exit", () => reject(new Error("chromedriver ended: " + text)));
  });
}

async function call(url, method, body) {
  const r = await fetch(url, {method, headers: {"content-type": "application/json"}, body: body && JSON.stringify(body)});
  const answer = await r.json();
  if (answer.value && answer.value.error) throw new Error(answer.value.error + ": " + answer.value.message);
  return answer.value;
}

async function openSession(root, profile) {
  const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
                "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--user-data-dir=" + profile];
  const s = await call(root + "/session", "POST", {capabilities: {alwaysMatch: {browserName: "chrome",
    "goog:chromeOptions": {args}, "goog:loggingPrefs": {browser: "ALL"}}}});
  const base = root + "/session/" + s.sessionId;
  return {
    go: file => call(base + "/url", "POST", {url: "file://" + path.resolve(file)}),
    js: (script, ...a) => call(base + "/execute/sync", "POST", {script: "return (function () {" + script + "}).apply(null, arguments)", args: a}),
    size: (width, height) => call(base + "/window/rect", "POST", {width, height}),
    phone: width => call(base + "/goog/cdp/execute", "POST", {cmd: "Emulation.setDeviceMetricsOverride",
      params: {width, height: 740, deviceScaleFactor: 2, mobile: true}}),
    log: () => call(base + "/se/log", "POST", {type: "browser"}),
    shot: () => call(base + "/screenshot", "GET"),
    close: () => call(base, "DELETE"),
  };
}

const ascending = list => list.every((v, i) => !i || v >= list[i - 1]);
/* A script that chooses an option of a select element as a user would. */
const choose = (id, v) => `const s = document.getElementById("${id}"); s.value = "${v}"; s.dispatchEvent(new Event("change"))`;

async function inBrowser(test) {
  const {driver, root} = await startDriver();
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), "heddle-browser-"));
  try {
    const b = await openSession(root, profile);
    await test(b);
    await b.close();
  } catch (e) {
    check("the browser works: " + e.message, false);
  }
  driver.removeAllListeners("exit");
  driver.kill();
  fs.rmSync(profile, {recursive: true, force: true, maxRetries: 5});
  console.log(passed + " passed, " + failed + " failed");
  process.exit(failed ? 1 : 0);
}
module.exports = {check, inBrowser, choose, ascending};
