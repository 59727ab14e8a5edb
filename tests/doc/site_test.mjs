// The documentation's site in a real browser: node site_test.mjs SITE [--all | FOLDER OF SCREENSHOTS]
//
// As people meet it: at the width of a telephone and of a laptop, light and dark, without eyes (axe-core), by its
// search, and without a network: what a page asks for comes from the site itself.
import assert from "node:assert/strict";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import {createRequire} from "node:module";
import puppeteer from "puppeteer-core";

const [site, more] = process.argv.slice(2);
const all = more === "--all", screenshots = all ? undefined : more;
const axe = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml", ".webp": "image/webp"};
const html = (folder) => fs.readdirSync(folder, {recursive: true}).filter((name) => name.endsWith(".html"));
const PAGES = all ? html(site).filter((name) => name !== "404.html") : ["index.html", "packages.html"];
const FIRST = {arena: "memory.html", pip: "install.html", int16: "operators.html"};

// Pages that are generated: a command and a function that each must have.
const GENERATED = {"commands.html": 'id="tune-advise"', "headers.html": "tinytune_compile_shared"};
for (const [name, text] of Object.entries(GENERATED))
  assert.ok(fs.readFileSync(path.join(site, name), "utf8").includes(text), `${name} has ${text}`);

const server = http.createServer((request, answer) => {
  const file = path.join(site, decodeURIComponent(new URL(request.url, "http://site").pathname));
  if (!fs.existsSync(file) || !fs.statSync(file).isFile()) return answer.writeHead(404).end();
  answer.writeHead(200, {"content-type": TYPES[path.extname(file)] ?? "application/octet-stream"});
  fs.createReadStream(file).pipe(answer);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const root = `http://127.0.0.1:${server.address().port}/`;

async function barriers(page) {
  await page.evaluate(axe);
  const {violations} = await page.evaluate(() => axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}));
  return violations.map((v) => `${v.id}: ${v.nodes[0].html} ${v.nodes[0].failureSummary}`);
}

async function checkPage(page, name) {
  await page.goto(root + name, {waitUntil: "load"});
  for (const scheme of ["light", "dark"])
    for (const width of [390, 1366]) {
      await page.setViewport({width, height: 844});
      await page.emulateMediaFeatures([{name: "prefers-color-scheme", value: scheme}]);
      const place = `${name}, ${scheme}, ${width} pixels`;
      const [light, wide] = await page.evaluate(() => {
        const colour = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
        return [colour[0] > 127, document.documentElement.scrollWidth];
      });
      assert.equal(light, scheme === "light", `${place}: the background`);
      assert.ok(wide <= width, `${place}: ${wide} pixels wide`);
      if (screenshots) await page.screenshot({path: path.join(screenshots, `${name}-${scheme}-${width}.png`)});
      if (width === 1366 || all || name === "index.html") assert.deepEqual(await barriers(page), [], place);
    }
}

const browser = await puppeteer.launch({executablePath: "/usr/bin/chromium", headless: true, args: ["--no-sandbox", "--disable-gpu"]});
try {
  const page = await browser.newPage();
  const outside = [], missing = [];
  page.on("request", (request) => { if (!/^(http:\/\/127\.0\.0\.1:|data:|blob:)/.test(request.url())) outside.push(request.url()); });
  page.on("response", (response) => { if (response.status() >= 400) missing.push(response.url()); });
  for (const name of PAGES) await checkPage(page, name);
  for (const [word, first] of Object.entries(FIRST)) {
    await page.goto(`${root}search.html?q=${word}`, {waitUntil: "load"});
    await page.waitForSelector("#mkdocs-search-results a", {timeout: 20000});
    const found = await page.$$eval("#mkdocs-search-results a", (all) => all.map((a) => new URL(a.href).pathname.slice(1)));
    assert.equal(found[0], first, `search for "${word}"`);
  }
  assert.deepEqual(outside, [], "no request leaves the machine");
  assert.deepEqual(missing, [], "nothing is missing");
  console.log(`${PAGES.length} pages and the search hold`);
} finally {
  await browser.close();
  server.close();
}
