// Numbers as people read them, and the two curves that a list of trials holds.

const grouped = (value) => value === null || value === undefined ? "–" : Math.round(value).toLocaleString("en");
const percent = (value) => `${(100 * value).toFixed(1)} %`;
const ratio = (before, after) => before && after ? `${(before / after).toFixed(2)}×` : "–";

function latency(cycles, clockHz) {
  return clockHz ? `${(1000 * cycles / clockHz).toFixed(2)} ms` : `${grouped(cycles)} cycles`;
}

// A pause of a run that was stopped overnight says nothing about how fast it converges.
const LONGEST_STEP_SECONDS = 300;

function secondsOf(trials) {
  let total = 0, last = null;
  return trials.map(([, time]) => {
    const now = Date.parse(time) / 1000;
    if (last !== null && now > last) total += Math.min(now - last, LONGEST_STEP_SECONDS);
    if (Number.isFinite(now)) last = now;
    return total;
  });
}

// For each task, the best cycles after each of its valid trials; for the network, their sum over its
// layers, from the trial on at which every task has one. A layer that stands in two tasks (layouts)
// costs what the better one costs.
function convergenceOf(data) {
  const seconds = secondsOf(data.trials);
  const best = data.tasks.map(() => null);
  const tasks = data.tasks.map(() => []);
  const network = [];
  data.trials.forEach(([task, , cycles], i) => {
    if (cycles !== null && (best[task] === null || cycles < best[task])) best[task] = cycles;
    if (cycles !== null) tasks[task].push({trial: tasks[task].length + 1, seconds: seconds[i], best: best[task]});
    const byLayer = new Map();
    data.tasks.forEach((of, t) => of.layers.forEach((layer) => {
      const known = byLayer.get(layer);
      if (known === undefined || known === null || (best[t] !== null && best[t] < known)) byLayer.set(layer, best[t]);
    }));
    const sum = [...byLayer.values()].reduce((a, b) => a === null || b === null ? null : a + b, 0);
    if (sum !== null) network.push({trial: i + 1, seconds: seconds[i], best: sum});
  });
  return {tasks, network};
}

// Places from 0 (first) to 1 (last); of equal values the mean.
function placesOf(values) {
  const order = values.map((value, i) => [value, i]).sort((a, b) => a[0] - b[0]);
  const places = [];
  for (let first = 0, end = 0; first < order.length; first = end) {
    while (end < order.length && order[end][0] === order[first][0]) ++end;
    for (let i = first; i < end; ++i) places[order[i][1]] = (first + end - 1) / 2 / Math.max(1, order.length - 1);
  }
  return places;
}
