// A figure: a heading, what it shows in words, a chart, and behind it the table of the same numbers,
// which is all of it for who cannot see a canvas, and where no charting library was built in.

const SERIES = 6;
const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3], [12, 3], [4, 4]];
const SHAPES = ["circle", "triangle", "rect", "star", "rectRot", "crossRot"];

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const themed = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const seriesColour = (i) => themed(`--series-${i % SERIES + 1}`);

// Rows are lists of cells; a number is grouped and stands right.
function tableOf(caption, columns, rows) {
  const numeric = columns.map((_, c) => rows.some((row) => typeof row[c] === "number"));
  const cell = (tag, content, c, more = {}) =>
      element(tag, numeric[c] ? {class: "number", ...more} : more, typeof content === "number" ? grouped(content) : `${content ?? "–"}`);
  return element("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
      element("table", {}, element("caption", {}, caption),
          element("thead", {}, element("tr", {}, ...columns.map((name, c) => cell("th", name, c, {scope: "col"})))),
          element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((content, c) => cell("td", content, c)))))));
}

function sectionOf(id, title, note) {
  return element("section", {id, "aria-labelledby": `${id}-title`}, element("h2", {id: `${id}-title`}, title),
                 element("p", {class: "note"}, note));
}

const drawn = [];  // charts of this page, to be drawn again in other colours

// `make()` returns Chart.js's configuration; it is called again when the colours change.
function addChart(section, label, height, make) {
  if (typeof Chart === "undefined") return;
  const canvas = element("canvas", {role: "img", "aria-label": label});
  const box = element("div", {class: "chart"}, canvas);
  box.style.height = `${height}px`;
  section.append(box);
  drawn.push({canvas, make, chart: null});
}

function addTable(section, caption, columns, rows) {
  section.append(element("details", {id: `${section.id}-table`}, element("summary", {}, caption), tableOf(caption, columns, rows)));
}

function drawCharts() {
  if (typeof Chart === "undefined") return;
  Chart.defaults.color = themed("--text");
  Chart.defaults.borderColor = themed("--line");
  Chart.defaults.animation = false;
  Chart.defaults.maintainAspectRatio = false;
  for (const entry of drawn) {
    if (entry.chart) entry.chart.destroy();
    entry.chart = new Chart(entry.canvas, entry.make());
  }
}

// Writes names into a chart: of bars inside them, as far as they hold some, of points beside them.
// `nameOf(dataset, i, d)` gives undefined for what has none.
const namesOf = (nameOf) => ({
  id: "names",
  afterDatasetsDraw(chart) {
    const {ctx} = chart;
    ctx.save();
    ctx.textBaseline = "middle";
    chart.data.datasets.forEach((dataset, d) => chart.getDatasetMeta(d).data.forEach((shown, i) => {
      const name = nameOf(dataset, i, d);
      if (name === undefined || !Number.isFinite(shown.x) || !Number.isFinite(shown.y)) return;
      if (shown.width === undefined) {
        ctx.fillStyle = themed("--text");
        ctx.fillText(name, shown.x + 12, shown.y);
      } else if (Math.abs(shown.base - shown.y) >= 12) {
        const until = chart.chartArea.right, from = shown.x - shown.width / 2;
        ctx.fillStyle = themed("--ground");
        ctx.fillText(name, from + 3, (shown.base + shown.y) / 2, Math.max(1, until - from - 6));
      }
    }));
    ctx.restore();
  },
});

const axis = (text, more = {}) => ({title: {display: true, text}, ...more});
const tooltipOf = (label, title) => ({callbacks: title ? {label, title} : {label}});

function lineSeries(label, i, data) {
  return {label, data, borderColor: seriesColour(i), backgroundColor: seriesColour(i), borderDash: DASHES[i % SERIES],
          pointStyle: SHAPES[i % SERIES], pointRadius: 2, pointHitRadius: 6, borderWidth: 2, stepped: true};
}

function barSeries(label, i, data) {
  return {label, data, backgroundColor: seriesColour(i), borderColor: themed("--ground"), borderWidth: 1};
}
