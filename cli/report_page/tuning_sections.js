// What the log alone tells: how the search went, what knobs are worth, what failed.

const taskLabel = (task) => `task ${task.index} ${task.name}`;

function convergenceSection(data, convergence) {
  const section = sectionOf("convergence", "Convergence of the network",
      "Cycles of all tuned layers together, each with the best kernel so far, from the first trial at which every task has a valid one.");
  const points = convergence.network;
  const select = element("select", {id: "convergence-over"}, element("option", {value: "trial"}, "trials"),
                         element("option", {value: "seconds"}, "seconds"));
  section.append(element("label", {for: "convergence-over"}, "Over "), select);
  const label = points.length ? `Falls from ${grouped(points[0].best)} to ${grouped(points.at(-1).best)} cycles over ${points.at(-1).trial} trials.`
                              : "Not every task has a valid trial yet.";
  addChart(section, label, 320, () => ({
    type: "line",
    data: {datasets: [{...lineSeries("network", 0, points.map((p) => ({x: p[select.value], y: p.best}))), pointRadius: 0}]},
    options: {scales: {x: axis(select.value === "trial" ? "trials" : "seconds, pauses left out", {type: "linear"}), y: axis("cycles")},
              interaction: {mode: "nearest", axis: "x", intersect: false},
              plugins: {legend: {display: false}, tooltip: tooltipOf((at) => `${grouped(at.parsed.y)} cycles`)}},
  }));
  select.addEventListener("change", drawCharts);
  const steps = points.filter((p, i) => i === 0 || i === points.length - 1 || p.best < points[i - 1].best);
  addTable(section, "Every improvement", ["trial", "seconds", "cycles"], steps.map((p) => [p.trial, p.seconds, p.best]));
  return section;
}

function taskConvergenceSection(data, convergence) {
  const section = sectionOf("tasks", "Convergence by task", "The best kernel so far, as a share of the first valid one: 50 % is twice as fast.");
  const shares = convergence.tasks.map((points) => points.map((p) => ({x: p.trial, y: 100 * p.best / points[0].best, cycles: p.best})));
  addChart(section, "Best cycles of each task over its valid trials; the table has first and best.", 360, () => ({
    type: "line",
    data: {datasets: shares.map((points, t) => lineSeries(taskLabel(data.tasks[t]), t, points))},
    options: {scales: {x: axis("valid trials of the task", {type: "linear"}), y: axis("% of the first")},
              plugins: {tooltip: tooltipOf((at) => `${at.dataset.label}: ${grouped(at.raw.cycles)} cycles, ${at.parsed.y.toFixed(1)} %`)}},
  }));
  addTable(section, "Tasks", ["task", "layers", "trials", "valid", "first, cycles", "best, cycles", "gain", "best schedule"],
      data.tasks.map((task, t) => [taskLabel(task), task.layers.join(", "), task.trials, task.valid, convergence.tasks[t][0]?.best,
                                   task.best_cycles, ratio(convergence.tasks[t][0]?.best, task.best_cycles), task.best_schedule]));
  return section;
}

const MOST_KNOBS = 20;

function knobSection(data) {
  const section = sectionOf("knobs", "What each knob is worth",
      "How much slower the best record is that has another value of one knob. Knobs that were never varied are absent.");
  const effects = data.tasks.flatMap((task) => task.knobs.map((knob) => ({task, ...knob}))).sort((a, b) => b.slowdown - a.slowdown);
  const shown = effects.slice(0, MOST_KNOBS);
  addChart(section, shown.length ? `The dearest: ${shown[0].knob} = ${shown[0].value} in task ${shown[0].task.index}, ${percent(shown[0].slowdown)}.` : "No knob was varied yet.",
      60 + 24 * shown.length, () => ({
    type: "bar",
    data: {labels: shown.map((e) => `task ${e.task.index}: ${e.knob} = ${e.value}`), datasets: [barSeries("slower without", 0, shown.map((e) => 100 * e.slowdown))]},
    options: {indexAxis: "y", scales: {x: axis("% slower with the next best value")},
              plugins: {legend: {display: false}, tooltip: tooltipOf((at) => `${at.parsed.x.toFixed(1)} % slower with ${shown[at.dataIndex].other}`)}},
  }));
  addTable(section, "All knobs", ["task", "knob", "winner's value", "next best", "slower"],
      effects.map((e) => [taskLabel(e.task), e.knob, e.value, e.other, percent(e.slowdown)]));
  return section;
}

function forecastSection(data) {
  const section = sectionOf("forecast", "Predicted against measured",
      "The ranking model hears the earlier half of every task's trials and puts the later half in order. On the diagonal its order is the measured one; it never saw these trials.");
  const clouds = data.tasks.map((task) => {
    const predicted = placesOf(task.forecast.points.map((p) => -p.score)), measured = placesOf(task.forecast.points.map((p) => p.cycles));
    return predicted.map((x, i) => ({x, y: measured[i], cycles: task.forecast.points[i].cycles}));
  });
  addChart(section, "Predicted place against measured place of every trial; the table has the correlation by task.", 400, () => ({
    type: "scatter",
    data: {datasets: [...clouds.map((points, t) => ({label: taskLabel(data.tasks[t]), data: points, backgroundColor: seriesColour(t), borderColor: seriesColour(t), pointStyle: SHAPES[t % SERIES], pointRadius: 4})),
                      {label: "in the measured order", data: [{x: 0, y: 0}, {x: 1, y: 1}], showLine: true, pointRadius: 0, pointHitRadius: 0, borderColor: themed("--line"), borderDash: [6, 3], borderWidth: 2}]},
    options: {scales: {x: axis("predicted place: 0 fastest, 1 slowest", {min: 0, max: 1}), y: axis("measured place", {min: 0, max: 1})},
              plugins: {tooltip: tooltipOf((at) => `${at.dataset.label}: ${grouped(at.raw.cycles)} cycles`)}},
  }));
  addTable(section, "Rank correlation by task", ["task", "trials heard", "trials predicted", "Spearman's correlation"],
      data.tasks.map((task) => [taskLabel(task), task.forecast.heard, task.forecast.points.length, task.forecast.correlation === null ? "–" : task.forecast.correlation.toFixed(2)]));
  return section;
}

function failureSection(data) {
  const section = sectionOf("failures", "Failures by cause", "Candidates that did not become a kernel. Each is a record as well; none counts as a result.");
  if (!data.failures.length) {
    section.append(element("p", {}, `None: all ${data.trials.length} trials gave a valid kernel.`));
    return section;
  }
  const outcomes = [...new Set(data.failures.map((f) => f.outcome))];
  addChart(section, `${data.failures.reduce((sum, f) => sum + f.count, 0)} of ${data.trials.length} trials failed: ${outcomes.join(", ")}.`, 100 + 24 * data.tasks.length, () => ({
    type: "bar",
    data: {labels: data.tasks.map(taskLabel),
           datasets: outcomes.map((outcome, i) => barSeries(outcome, i, data.tasks.map((_, t) => data.failures.find((f) => f.outcome === outcome && f.task === t)?.count ?? 0)))},
    options: {indexAxis: "y", scales: {x: axis("trials", {stacked: true}), y: {stacked: true}}},
  }));
  addTable(section, "Failures", ["outcome", "task", "trials", "first message"], data.failures.map((f) => [f.outcome, taskLabel(data.tasks[f.task]), f.count, f.example]));
  return section;
}
