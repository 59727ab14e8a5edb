// The report's page in a real browser:
//   node page_test.mjs file|live TUNE MODEL DEVICE [FOLDER OF SCREENSHOTS]
//
// file: tunes a little, writes the page, opens it in Debian's Chromium and looks at what people
// would: is every figure drawn, do they answer the mouse, does anything complain, can it be read
// without eyes (axe-core), in the dark, and on paper. live: watches a run while it goes on.
import assert from "node:assert/strict";
import {execFileSync, spawn} from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import {createRequire} from "node:module";
import puppeteer from "puppeteer-core";

const [part, tune, model, device, screenshots] = process.argv.slice(2);
const axe = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const name = path.basename(model, ".tflite");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "report-page-"));
const log = path.join(folder, "log.jsonl");
const subject = ["--model", model, "--device", device, "--records", log];

const SECTIONS = ["summary", "layers", "share", "front", "arena", "map", "convergence", "tasks", "knobs", "forecast", "failures"];
const WITHOUT_CHART = ["summary", "map"];

async function openPage(browser, url) {
  const page = await browser.newPage();
  const complaints = [];
  page.on("console", (message) => { if (["error", "warn"].includes(message.type())) complaints.push(message.text()); });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.setViewport({width: 1100, height: 900});
  await page.goto(url);
  return {page, complaints};
}

// A canvas that was drawn on has more than one colour.
const coloursOf = (page, section) => page.$$eval(`#${section} canvas`, (all) => all.map((canvas) => {
  const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size;
}));

// Points the mouse at the first thing that the section's first chart shows.
async function tooltipOf(page, section) {
  const at = await page.$eval(`#${section} canvas`, (canvas) => {
    const chart = Chart.getChart(canvas);
    for (let d = 0; d < chart.data.datasets.length; ++d)
      for (const [i, shown] of chart.getDatasetMeta(d).data.entries()) {
        const {x, y} = shown.getCenterPoint();
        if (!chart.data.datasets[d].data[i] || !Number.isFinite(x) || !Number.isFinite(y)) continue;  // no bar to point at
        window.scrollBy(0, canvas.getBoundingClientRect().top + y - window.innerHeight / 2);  // a chart may be taller than that
        const box = canvas.getBoundingClientRect();
        return {x: box.left + x, y: box.top + y};
      }
    return null;
  });
  if (at === null) return "nothing to point at";
  await page.mouse.move(at.x - 3, at.y);
  await page.mouse.move(at.x, at.y, {steps: 3});
  return page.$eval(`#${section} canvas`, (canvas) => {
    const tooltip = Chart.getChart(canvas).tooltip;
    return tooltip.opacity > 0 ? tooltip.body.flatMap((part) => part.lines).join(" ") : "";
  });
}

async function barriers(page) {
  await page.evaluate(axe);
  const {violations} = await page.evaluate(() => axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}));
  return violations.filter((v) => ["serious", "critical"].includes(v.impact)).map((v) => `${v.id}: ${v.nodes[0].html}`);
}

async function checkFile(browser) {
  const file = path.join(folder, "report.html");
  execFileSync(tune, ["report", ...subject, "--html", file], {stdio: "inherit"});
  const {page, complaints} = await openPage(browser, `file://${file}`);
  assert.deepEqual(await page.$$eval("main > section", (all) => all.map((s) => s.id)), SECTIONS);
  assert.equal(await page.$eval("#summary", (s) => s.textContent.includes("exact") && !s.textContent.includes("NOT exact")), true);
  for (const section of SECTIONS) {
    const rows = await page.$$eval(`#${section} tbody tr`, (all) => all.length);
    if (section !== "summary" && section !== "failures") assert.ok(rows > 0, `${section} has a table with rows`);
    if (WITHOUT_CHART.includes(section)) continue;
    const colours = await coloursOf(page, section);
    if (section === "failures" && colours.length === 0) continue;  // none failed
    assert.ok(colours.length > 0 && colours.every((n) => n > 3), `${section} is drawn: ${colours} colours`);
    if (section === "knobs" && rows === 0) continue;
    assert.match(await tooltipOf(page, section), /\d/, `${section} answers the mouse`);
  }
  const names = await page.$$eval("#front canvas", (all) => all.map((canvas) => Chart.getChart(canvas).config.plugins.map((p) => p.id).join()));
  assert.deepEqual(names, ["names", "names"], "points of flash and of RAM have names");
  const [arena, forecast] = await page.evaluate(() => ["arena", "forecast"].map((section) => {
    const {plugins, data} = Chart.getChart(document.querySelector(`#${section} canvas`)).config;
    return {plugins: (plugins ?? []).map((p) => p.id), last: data.datasets.at(-1)};
  }));
  assert.deepEqual(arena.plugins, ["names"], "bars of the arena have names");
  assert.deepEqual([forecast.last.showLine, forecast.last.data], [true, [{x: 0, y: 0}, {x: 1, y: 1}]], "predictions stand beside the diagonal");
  assert.ok(await page.$$eval("#front tbody tr", (rows) => rows.some((row) => row.cells[0].textContent.startsWith("--flash"))), "limits of flash are told");
  const network = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).network);
  const inTable = await page.$$eval("#layers tbody tr", (all) => all.map((row) => Number(row.cells[3].textContent.replaceAll(",", ""))));
  assert.deepEqual(inTable, network.tuned.layers.map((layer) => layer.cycles), "the table has the run's figures");

  for (const scheme of ["light", "dark"]) {
    await page.emulateMediaFeatures([{name: "prefers-color-scheme", value: scheme}]);
    await page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, {}, scheme);
    await page.$$eval("details", (all) => all.forEach((details) => details.setAttribute("open", "")));
    assert.deepEqual(await barriers(page), [], `${scheme}: nothing serious for axe`);
    await page.$$eval("details", (all) => all.forEach((details) => details.removeAttribute("open")));
    await page.mouse.move(0, 0);
    if (screenshots) await page.screenshot({path: path.join(screenshots, `${name}-${scheme}.webp`), type: "webp", quality: 60, fullPage: true});
  }
  await page.focus("#theme");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light", "the switch works from the keyboard");
  assert.ok((await page.pdf({format: "A4"})).length > 20000, "it prints");
  assert.deepEqual(complaints, [], "no complaint in the console");
  await page.close();
}

const statusFor = (url, host) => new Promise((resolve, reject) =>
    http.get(url, {headers: {host}}, (answer) => resolve(answer.resume().statusCode)).on("error", reject));

async function firstLine(child) {
  let text = "";
  for await (const piece of child.stdout) {
    text += piece;
    if (text.includes("\n")) return text.split("\n")[0];
  }
  throw new Error(`no line, but: ${text}`);
}

async function checkLive(browser) {
  const running = spawn(tune, [...subject, "--trials", "100000", "--tuner", "random", "--workers", "1", "--quiet"], {stdio: "ignore"});
  const lines = () => fs.readFileSync(log, "utf8").split("\n").length;
  const before = lines();
  for (let tries = 0; lines() === before && tries < 300; ++tries) await new Promise((resolve) => setTimeout(resolve, 200));
  const server = spawn(tune, ["report", ...subject, "--live"], {stdio: ["ignore", "pipe", "inherit"]});
  try {
    const url = await firstLine(server);
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/$/);
    assert.equal(await statusFor(url, "evil.example"), 403, "a name of somebody else's is refused");
    const {page, complaints} = await openPage(browser, url);
    const trials = async () => Number((await page.$eval("#status", (s) => s.textContent)).match(/(\d+) trials/)[1]);
    const first = await trials();
    await page.waitForFunction((had) => Number(document.getElementById("status").textContent.match(/(\d+) trials/)?.[1]) > had, {timeout: 300000}, first);
    assert.equal(await page.$("#layers"), null, "the network is not run while somebody tunes");
    running.kill("SIGINT");
    await page.waitForSelector("#layers", {timeout: 3000000});
    assert.deepEqual(complaints, []);
  } finally {
    running.kill("SIGINT");
    server.kill("SIGINT");
  }
}

const browser = await puppeteer.launch({executablePath: "/usr/bin/chromium", headless: true, protocolTimeout: 900000, args: ["--no-sandbox", "--disable-gpu"]});
try {
  execFileSync(tune, [...subject, "--trials", "48", "--quiet"], {stdio: "inherit"});
  await {file: checkFile, live: checkLive}[part](browser);
  console.log(`${name}: the page holds`);
} finally {
  await browser.close();
  fs.rmSync(folder, {recursive: true, force: true});
}
