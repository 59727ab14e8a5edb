// What a run of the whole network in the simulator tells: layers, memory, and what could be traded.

function totalOf(layers, key) { return layers.reduce((sum, layer) => sum + layer[key], 0); }
const layerLabel = (layer) => `${layer.index} ${layer.op}`;

function summarySection(data, convergence) {
  const section = sectionOf("summary", "Summary", `${data.trials.length} trials of ${data.tasks.length} tasks in ${data.log}.`);
  const cards = element("dl", {class: "cards"});
  const card = (name, value, more = "") => cards.append(element("div", {}, element("dt", {}, name), element("dd", {}, value, element("small", {}, more))));
  const hz = data.device.clock_hz;
  if (data.network) {
    const before = data.network.default, after = data.network.tuned;
    card("One inference, tuned", latency(after.cycles, hz), `${grouped(after.cycles)} cycles`);
    card("By default", latency(before.cycles, hz), `tuned is ${ratio(before.cycles, after.cycles)} as fast`);
    card("RAM", `${grouped(after.ram_bytes)} bytes`, `${grouped(after.arena_bytes)} of them arena`);
    card("Flash", `${grouped(after.flash_bytes)} bytes`, `${grouped(before.flash_bytes)} by default`);
    card("Output", before.exact && after.exact ? "exact" : "NOT exact", "compared with the reference, byte for byte");
    for (const library of data.libraries) {
      const sum = totalOf(library.layers, "instructions");
      card(library.name, `${grouped(sum)} instructions`, `tuned needs ${grouped(after.instructions)}`);
    }
  } else if (convergence.network.length) {
    const points = convergence.network;
    card("Tuned layers so far", latency(points.at(-1).best, hz), `from ${latency(points[0].best, hz)}`);
  }
  card("Trials", grouped(data.trials.length), `${grouped(data.failures.reduce((sum, f) => sum + f.count, 0))} failed`);
  section.append(cards);
  return section;
}

function layerSection(data) {
  const section = sectionOf("layers", "Layers", "Cycles of each operator with default and with tuned kernels, waits for memory included.");
  const before = data.network.default.layers, after = data.network.tuned.layers;
  addChart(section, `Default and tuned cycles of ${after.length} operators; the table has every figure.`, 80 + 30 * after.length, () => ({
    type: "bar",
    data: {labels: after.map(layerLabel), datasets: [barSeries("default", 1, before.map((l) => l.cycles)), barSeries("tuned", 0, after.map((l) => l.cycles))]},
    options: {indexAxis: "y", scales: {x: axis("cycles")}, plugins: {tooltip: tooltipOf((at) => `${at.dataset.label}: ${grouped(at.parsed.x)} cycles`)}},
  }));
  if (data.libraries.length) addLibraryChart(section, data, before, after);
  const libraries = data.libraries.map((library) => new Map(library.layers.map((l) => [l.index, l.instructions])));
  addTable(section, "Layers", ["layer", "MACs", "default, cycles", "tuned, cycles", "gain", "default, instructions", "tuned, instructions", ...data.libraries.map((l) => `${l.name}, instructions`), "schedule"],
      after.map((l, i) => [layerLabel(l), l.macs, before[i].cycles, l.cycles, ratio(before[i].cycles, l.cycles), before[i].instructions, l.instructions,
                           ...libraries.map((of) => of.get(l.index)), l.fused_into !== null ? `in layer ${l.fused_into}` : l.tuned ? "tuned" : l.macs > 0 ? "default" : "–"]));
  return section;
}

// Cycles of other libraries on this device are not known, instructions are: so all stand in those.
function addLibraryChart(section, data, before, after) {
  addChart(section, `Instructions by layer of default and tuned kernels and of ${data.libraries.map((l) => l.name).join(", ")}.`, 80 + 40 * after.length, () => ({
    type: "bar",
    data: {labels: after.map(layerLabel),
           datasets: [barSeries("default", 1, before.map((l) => l.instructions)), barSeries("tuned", 0, after.map((l) => l.instructions)),
                      ...data.libraries.map((library, i) => barSeries(library.name, 2 + i, after.map((l) => library.layers.find((of) => of.index === l.index)?.instructions ?? null)))]},
    options: {indexAxis: "y", scales: {x: axis("instructions")}, plugins: {tooltip: tooltipOf((at) => `${at.dataset.label}: ${grouped(at.parsed.x)} instructions`)}},
  }));
}

function shareSection(data) {
  const section = sectionOf("share", "Share of time", "Where one inference of the tuned network spends its cycles.");
  const all = data.network.tuned.cycles;
  const layers = data.network.tuned.layers.filter((l) => l.cycles > 0).sort((a, b) => b.cycles - a.cycles);
  const rest = all - totalOf(layers, "cycles");
  const rows = [...layers.map((l) => [layerLabel(l), l.cycles]), ...(rest > 0 ? [["between layers", rest]] : [])];
  addChart(section, rows.length ? `The largest: ${rows[0][0]}, ${percent(rows[0][1] / all)}.` : "", 60 + 24 * rows.length, () => ({
    type: "bar",
    data: {labels: rows.map((r) => r[0]), datasets: [barSeries("share", 0, rows.map((r) => 100 * r[1] / all))]},
    options: {indexAxis: "y", scales: {x: axis("% of all cycles")}, plugins: {legend: {display: false}, tooltip: tooltipOf((at) => `${at.parsed.x.toFixed(1)} %, ${grouped(rows[at.dataIndex][1])} cycles`)}},
  }));
  addTable(section, "Shares", ["layer", "cycles", "share"], rows.map(([name, cycles]) => [name, cycles, percent(cycles / all)]));
  return section;
}

function arenaSection(data) {
  const run = data.network.tuned, {steps, tensors} = run.arena, names = data.network.tensor_names;
  const section = sectionOf("arena", "The arena over time",
      `${grouped(run.arena_bytes)} bytes, lower bound ${grouped(run.arena_lower_bound)}. A bar holds a tensor while it lives; what no bar covers is scratch of kernels, rows of strips, or free.`);
  const ops = new Map(run.layers.map((l) => [l.index, l.op]));
  const labels = steps.map((index) => index < 0 ? "transform" : `${index} ${ops.get(index) ?? ""}`);
  const name = (t) => names[t.tensor] ?? `tensor ${t.tensor}`;
  addChart(section, `${tensors.length} tensors over ${steps.length} steps; the table has places and lives.`, 420, () => ({
    type: "bar",
    data: {labels, datasets: tensors.map((t, i) => ({...barSeries(name(t), i, steps.map((_, s) => s >= t.first_step && s <= t.last_step ? [t.offset, t.offset + t.bytes] : null)),
                                                     grouped: false, barPercentage: 1, categoryPercentage: 1}))},
    options: {scales: {x: axis("step"), y: axis("bytes from the arena's start", {min: 0, max: run.arena_bytes})},
              plugins: {legend: {display: false}, tooltip: tooltipOf((at) => `${at.dataset.label}: ${grouped(tensors[at.datasetIndex].bytes)} bytes at ${grouped(tensors[at.datasetIndex].offset)}`)}},
    plugins: [namesOf((dataset, i, d) => i === Math.max(0, tensors[d].first_step) ? dataset.label : undefined)],
  }));
  addTable(section, "Tensors in the arena", ["tensor", "offset", "bytes", "written in", "last read in"],
      tensors.map((t) => [name(t), t.offset, t.bytes, t.first_step < 0 ? "input" : labels[t.first_step], labels[t.last_step] ?? "output"]));
  return section;
}

// A chart of bytes against cycles: what was built, with its name, and the estimated line.
function addTradeChart(section, label, unit, built, front) {
  addChart(section, label, 360, () => ({
    type: "scatter",
    data: {datasets: [{label: "built and run", data: built, backgroundColor: seriesColour(1), pointStyle: "triangle", pointRadius: 8},
                      ...(front.length ? [{...lineSeries("estimated from records", 0, front), showLine: true, stepped: false}] : [])]},
    options: {scales: {x: axis(`bytes of ${unit}`, {grace: "15%"}), y: axis("cycles of one inference", {grace: "10%"})},
              plugins: {tooltip: tooltipOf((at) => `${at.raw.name ?? "estimated"}: ${grouped(at.parsed.y)} cycles, ${grouped(at.parsed.x)} bytes of ${unit}`)}},
    plugins: [namesOf((dataset, i) => dataset.data[i].name)],
  }));
}

function frontSection(data) {
  const section = sectionOf("front", "Flash, RAM and cycles", "Triangles were built and run; the line is estimated from the records of kernels. The table says what each limit costs and saves.");
  const front = data.network.tuned.flash_front ?? [], built = data.network.configurations;
  addTradeChart(section, `Flash and cycles of ${built.length} networks built and ${front.length} estimated; the table has flash, RAM and cycles.`, "flash",
                built.map((c) => ({x: c.flash_bytes, y: c.cycles, name: c.name})), front.map((p) => ({x: p.flash_bytes, y: p.cycles})));
  addTradeChart(section, `RAM and cycles of ${built.length} networks built.`, "RAM", built.map((c) => ({x: c.ram_bytes, y: c.cycles, name: c.name})), []);
  const tuned = built.find((c) => c.name === "tuned");
  const against = (now, then) => now === then ? "same" : `${now > then ? "+" : "−"}${grouped(Math.abs(now - then))}`;
  const slower = (cycles) => `${cycles < tuned.cycles ? "−" : "+"}${percent(Math.abs(cycles / tuned.cycles - 1))}`;
  addTable(section, "What a limit buys", ["network", "flash, bytes", "against tuned", "RAM, bytes", "against tuned", "cycles", "against tuned"],
      [...built.map((c) => [c.name, c.flash_bytes, against(c.flash_bytes, tuned.flash_bytes), c.ram_bytes, against(c.ram_bytes, tuned.ram_bytes), c.cycles, slower(c.cycles)]),
       ...front.map((p) => [`--flash ${p.flash_bytes}, estimated`, p.flash_bytes, against(p.flash_bytes, tuned.flash_bytes), "–", "–", p.cycles, slower(p.cycles)])]);
  return section;
}

function layoutSection(data) {
  const section = sectionOf("map", "Layouts and memories", "In which order each layer writes its result, and where its code and its constants live; no name on devices with one memory for all.");
  const layers = data.network.tuned.layers, kinds = new Map();
  const kindOf = (word) => kinds.get(word) ?? kinds.set(word, kinds.size % 4 + 1).get(word);
  const table = tableOf("Layers", ["layer", "layout", "code in", "constants in", "cycles waited for code", "for constants"],
      layers.map((l) => [layerLabel(l), l.layout, l.code_memory, l.weights_memory, l.fetch_wait_cycles, l.read_wait_cycles]));
  table.classList.add("map");
  for (const row of table.querySelectorAll("tbody tr"))
    for (const cell of [row.cells[1], row.cells[2], row.cells[3]])
      if (cell.textContent !== "–") cell.dataset.kind = kindOf(cell.textContent);
  section.append(table);
  return section;
}
