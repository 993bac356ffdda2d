// SPDX-License-Identifier: Apache-2.0
// Attention in ONNX Runtime on the tensors of a file that `heed bench attention --dump` wrote: one of
// its two ops, its times as one line of JSON.
//
//   node attention_onnxruntime.js FOLDER OP FILE.safetensors [--causal] [--threads N] [--seconds S]
//
// FOLDER holds node_modules/onnxruntime-node. OP is MultiHeadAttention (com.microsoft, on
// [B,S,H*D]) or Attention (ONNX opset 23, on [B,H,S,D]); one per process, so that its peak memory
// is its own.
'use strict';
const fs = require('fs');
const path = require('path');
const {createRequire} = require('module');

const SHORT_MS = 5; // a single run below this is measured as a chain of runs in one session

// --- a model file: protocol buffers by hand, the few fields of onnx.proto that are needed ---

function varint(value) {
  const bytes = [];
  for (let rest = BigInt(value); ; rest >>= 7n) {
    const low = Number(rest & 127n);
    if (rest < 128n) {
      bytes.push(low);
      return Buffer.from(bytes);
    }
    bytes.push(low | 128);
  }
}
const whole = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
const bytes = (field, value) => Buffer.concat([varint((field << 3) | 2), varint(value.length), value]);
const text = (field, value) => bytes(field, Buffer.from(value));
const message = (field, ...parts) => bytes(field, Buffer.concat(parts));

const INT = 2; // AttributeProto.Type
const FLOAT = 1; // TensorProto.DataType

const attribute = ([name, value]) => message(5, text(1, name), whole(3, value), whole(20, INT));
const node = (op, inputs, output) => message(
    1, ...inputs.map((name) => text(1, name)), text(2, output), text(4, op.type),
    ...Object.entries(op.attributes).map(attribute), text(7, op.domain));
// Sizes stay open, so that one session takes any length.
function value(field, name, rank) {
  const axes = Array.from({length: rank}, (_, axis) => message(1, text(2, `${name}${axis}`)));
  return message(field, text(1, name), message(2, message(1, whole(1, FLOAT), message(2, ...axes))));
}

// `calls` calls in a row, each with the context of the one before as its query.
function model(op, calls) {
  const nodes = [];
  for (let i = 0; i < calls; ++i) {
    const query = i === 0 ? 'query' : `context${i}`;
    nodes.push(node(op, [query, 'keys', 'values'], i + 1 === calls ? 'context' : `context${i + 1}`));
  }
  const inputs = ['query', 'keys', 'values'].map((name) => value(11, name, op.rank));
  return Buffer.concat([
    whole(1, 10), message(7, ...nodes, text(2, 'attention'), ...inputs, value(12, 'context', op.rank)),
    message(8, text(1, ''), whole(2, 23)), message(8, text(1, 'com.microsoft'), whole(2, 1)),
  ]);
}

// --- tensors ---

function readTensors(file) {
  const all = fs.readFileSync(file);
  const headerSize = Number(all.readBigUInt64LE(0));
  const header = JSON.parse(all.toString('utf8', 8, 8 + headerSize));
  const tensors = {};
  for (const [name, info] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    const [begin, end] = info.data_offsets;
    const data = new Float32Array((end - begin) / 4);
    Buffer.from(data.buffer).set(all.subarray(8 + headerSize + begin, 8 + headerSize + end));
    tensors[name] = {data, shape: info.shape};
  }
  return tensors;
}

// [B,H,S,D] -> [B,S,H*D]
function headsInside({data, shape: [B, H, S, D]}) {
  const out = new Float32Array(data.length);
  for (let b = 0; b < B; ++b) {
    for (let h = 0; h < H; ++h) {
      for (let s = 0; s < S; ++s) {
        const from = ((b * H + h) * S + s) * D;
        out.set(data.subarray(from, from + D), ((b * S + s) * H + h) * D);
      }
    }
  }
  return {data: out, shape: [B, S, H * D]};
}

function largestDifference(a, b) {
  let largest = 0;
  for (let i = 0; i < a.length; ++i) {
    const difference = Math.abs(a[i] - b[i]);
    if (!(difference <= largest)) largest = difference; // NaN counts
  }
  return largest;
}

// --- measuring ---

function memory(name) {
  const found = fs.readFileSync('/proc/self/status', 'utf8').match(new RegExp(`${name}:\\s+(\\d+) kB`));
  return Number(found[1]) * 1024;
}

const quantile = (sorted, share) => sorted[Math.floor(share * (sorted.length - 1))];

async function measure(ort, op, tensors, options) {
  const laidOut = op.rank === 3 ? headsInside : (tensor) => tensor;
  const tensor = ({data, shape}) => new ort.Tensor('float32', data, shape);
  const feeds = {};
  for (const name of ['query', 'keys', 'values']) feeds[name] = tensor(laidOut(tensors[name]));
  const expected = laidOut(tensors.context);
  // The context is written into memory that is there already.
  const fetches = {context: tensor({data: new Float32Array(expected.data.length).fill(0), shape: expected.shape})};
  const create = (calls) => ort.InferenceSession.create(
      model(op, calls), {intraOpNumThreads: options.threads, interOpNumThreads: 1});

  const session = await create(1);
  const [, H, , D] = tensors.query.shape;
  const small = laidOut({data: new Float32Array(H * 2 * D), shape: [1, H, 2, D]});
  await session.run({query: tensor(small), keys: tensor(small), values: tensor(small)}); // loads the code
  fs.writeFileSync('/proc/self/clear_refs', '5');
  const before = memory('VmRSS');
  const first = await session.run(feeds, fetches);
  const extraBytes = Math.max(0, memory('VmHWM') - before);
  const difference = largestDifference(first.context.data, expected.data);

  const timed = async (which) => {
    const begin = process.hrtime.bigint();
    await which.run(feeds, fetches);
    return Number(process.hrtime.bigint() - begin) / 1e6;
  };
  const single = Math.min(await timed(session), await timed(session));
  const calls = single < SHORT_MS ? Math.min(64, Math.ceil(SHORT_MS / single)) : 1;
  const chain = calls > 1 ? await create(calls) : session;
  await timed(chain);
  const times = [];
  for (let spent = 0; times.length < 3 || (spent < options.seconds * 1e3 && times.length < 1000);) {
    const ms = await timed(chain);
    times.push(ms / calls);
    spent += ms;
  }
  times.sort((a, b) => a - b);
  return {
    setting: op.type, ms: quantile(times, 0.5), p10: quantile(times, 0.1), p90: quantile(times, 0.9),
    difference, extra_bytes: extraBytes,
  };
}

async function main() {
  const [folder, type, file, ...flags] = process.argv.slice(2);
  const option = (name, otherwise) => {
    const at = flags.indexOf(name);
    return at < 0 ? otherwise : Number(flags[at + 1]);
  };
  const options = {threads: option('--threads', 1), seconds: option('--seconds', 2)};
  const causal = flags.includes('--causal') ? 1 : 0;
  const ort = createRequire(path.resolve(folder, 'package.json'))('onnxruntime-node');
  const tensors = readTensors(file);
  const ops = {
    MultiHeadAttention: {
      domain: 'com.microsoft', rank: 3,
      attributes: {num_heads: tensors.query.shape[1], unidirectional: causal},
    },
    Attention: {domain: '', rank: 4, attributes: {is_causal: causal}},
  };
  console.log(JSON.stringify(await measure(ort, {type, ...ops[type]}, tensors, options)));
}

main().catch((error) => {
  console.error(`attention_onnxruntime: ${error.message}`);
  process.exit(1);
});
