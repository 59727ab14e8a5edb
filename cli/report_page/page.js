// Puts the page together, draws it again in other colours, and during a run asks for news.

const ASK_AGAIN_MS = 2000;

function sectionsOf(data) {
  const convergence = convergenceOf(data);
  const tuning = [convergenceSection(data, convergence), taskConvergenceSection(data, convergence), knobSection(data), forecastSection(data), failureSection(data)];
  const network = data.network ? [layerSection(data), shareSection(data), frontSection(data), arenaSection(data), layoutSection(data)] : [];
  return [summarySection(data, convergence), ...network, ...tuning];
}

function show(data) {
  const open = new Set([...document.querySelectorAll("details[open]")].map((details) => details.id));
  const over = document.getElementById("convergence-over")?.value;
  for (const entry of drawn.splice(0)) entry.chart?.destroy();
  document.title = `${data.model.name} on ${data.device.name}`;
  document.getElementById("title").textContent = document.title;
  document.getElementById("subtitle").textContent = `${data.device.description} · ${grouped(data.model.macs)} MACs · model ${data.model.sha256.slice(0, 12)} · ${data.tool}`;
  const sections = sectionsOf(data);
  document.getElementById("main").replaceChildren(...sections);
  document.getElementById("contents").replaceChildren(...sections.map((section) => element("li", {}, element("a", {href: `#${section.id}`}, section.querySelector("h2").textContent))));
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  if (over) document.getElementById("convergence-over").value = over;
  const status = data.live ? `The run goes on: ${data.trials.length} trials so far.` : "";
  document.getElementById("status").textContent = typeof Chart === "undefined" ? `${status} This build has no charting library: tables only.` : status;
  drawCharts();
}

async function follow(data) {
  while (data.live) {
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
    try {
      const answer = await fetch("data.json", {cache: "no-store"});
      const news = await answer.json();
      if (news.trials.length !== data.trials.length || news.live !== data.live || (news.network && !data.network)) show(news);
      data = news;
    } catch {
      document.getElementById("status").textContent = "tune report --live does not answer any more; this is what it said last.";
      return;
    }
  }
}

function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  drawCharts();
}

const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
const isDark = () => document.documentElement.dataset.theme === "dark";
let darkOnScreen = prefersDark.matches;

document.documentElement.dataset.theme = darkOnScreen ? "dark" : "light";
prefersDark.addEventListener("change", () => setTheme(prefersDark.matches));
document.getElementById("theme").addEventListener("click", () => setTheme(!isDark()));
window.addEventListener("beforeprint", () => { darkOnScreen = isDark(); setTheme(false); });
window.addEventListener("afterprint", () => setTheme(darkOnScreen));

const firstData = JSON.parse(document.getElementById("data").textContent);
show(firstData);
follow(firstData);
