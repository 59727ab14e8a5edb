// run_onnxruntime.js JOBS: what onnxruntime computes. JOBS is a JSON list of {model, inputs, output,
// optimise}: raw bytes of each input in the model's order, and the file for those of all outputs.
const ort = require("onnxruntime-node");
const fs = require("fs");
const kinds = {
  float32: Float32Array,
  uint8: Uint8Array,
  int8: Int8Array,
  bool: Uint8Array,
};

async function run(job) {
  const session = await ort.InferenceSession.create(job.model, {
    graphOptimizationLevel: job.optimise ? "all" : "disabled",
    logSeverityLevel: 3,
  });
  const feeds = {};
  session.inputNames.forEach((name, i) => {
    const { type, shape } = session.inputMetadata[i];
    const bytes = fs.readFileSync(job.inputs[i]);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const extents = shape.map((extent) => (typeof extent === "number" ? extent : 1));
    feeds[name] = new ort.Tensor(type, new kinds[type](buffer), extents);
  });
  const results = await session.run(feeds);
  const parts = session.outputNames.map((name) => {
    const data = results[name].data;
    return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  });
  fs.writeFileSync(job.output, Buffer.concat(parts));
}

(async () => {
  for (const job of JSON.parse(fs.readFileSync(process.argv[2]))) {
    try {
      await run(job);
    } catch (error) {
      fs.writeFileSync(job.output + ".error", String(error));
    }
  }
})();
