// SPDX-License-Identifier: Apache-2.0
// Timed on one thread by its own processor time: others on the machine cost it nothing.
#include "cli/bench/long_mechanisms.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/bench/layer_kinds.h"
#include "heed/attention/multi_head.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/progress.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/models/gpt.h"
#include "heed/nn/initialisers.h"
#include "heed/tensor/memory_use.h"
#include "heed/tensor/peak_memory.h"

namespace heed::cli {
namespace {

// A training step that would take more is left out, whatever time it takes.
constexpr double kMostLongBytes = 3e9;

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

LongMechanism always(const char* name, const char* arena, const char* written) {
  return {name, arena, [written](std::int64_t) { return std::string(written); }};
}

// The least time of a few runs, or of one that is long.
LongCost cost_of(const std::function<void()>& run) {
  const std::int64_t before = memory_use().bytes;
  LongCost cost{.seconds = std::numeric_limits<double>::infinity()};
  double spent = 0;
  for (int runs = 0; runs == 0 || (runs < 20 && spent < 0.2); ++runs) {
    if (runs == 0) start_memory_peak();
    const double begin = processor_seconds();
    run();
    const double took = processor_seconds() - begin;
    if (runs == 0) cost.bytes = static_cast<double>(memory_use().most_bytes - before);
    // The first run asks the system for memory that later ones are given again.
    if (runs > 0 || took > 0.2) cost.seconds = std::min(cost.seconds, took);
    spent += took;
  }
  return cost;
}

LongPoint point_of(const LongMechanism& mechanism, std::int64_t tokens,
                   const LongOptions& options) {
  Random random(options.seed);
  attention::MultiHead heads(
      {.mechanism = mechanism.written(tokens), .query_width = options.width, .heads = 1}, random);
  const Tensor input = nn::normal({1, tokens, options.width}, random);
  LongPoint point{.tokens = tokens, .forward = {}, .training = {}};
  {
    const NoGradient values_only;
    const Variable x(input);
    point.forward = cost_of([&] { heads(x, x, x); });
  }
  const nn::Parameters parameters = nn::parameters(heads);
  const Variable x = Variable::leaf(input);
  point.training = cost_of([&] {
    nn::clear_gradients(parameters);
    Variable leaf = x;
    leaf.clear_gradient();
    backward(sum(square(heads(x, x, x))));
  });
  return point;
}

models::GptOptions stack_of(const std::string& written, std::int64_t tokens) {
  models::GptOptions options{.vocabulary = 256, .context = tokens};
  options.stack.width = 128;
  options.stack.heads = 2;
  options.stack.inner = 512;
  options.stack.layers = 4;
  options.stack.dropout = 0;
  options.stack.attention = written;
  return options;
}

Ids text_of(std::int64_t tokens, Random& random) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(tokens));
  for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random.integer(256));
  return Ids::of({1, tokens}, ids);
}

}  // namespace

const std::vector<LongMechanism>& long_mechanisms() {
  const auto blocks = [](std::int64_t n, std::int64_t block) { return (n + block - 1) / block; };
  static const std::vector<LongMechanism> all{
      always("full", "Transformer", "scaled_dot"),
      always("windowed", "Local", "scaled_dot | window(64)"),
      always("with gaps", "", "scaled_dot | dilated(window=64, step=4)"),
      always("strides", "Sparse", "scaled_dot | strided(stride=128)"),
      always("fixed places", "", "scaled_dot | fixed(stride=128)"),
      always("BigBird", "BigBird", "scaled_dot | big_bird(size=64)"),
      always("longformer", "Longformer", "longformer(reach=64)"),
      always("linear", "Linear", "linear"),
      always("causal linear", "", "linear | causal"),
      always("performer", "Performer", "performer(features=64)"),
      {"linformer", "Linformer",
       [](std::int64_t n) { return fmt::format("linformer(rank=64, length={})", n); }},
      always("nystrom", "", "nystrom(landmarks=64)"),
      always("reformer", "Reformer", "reformer(rounds=2, buckets=64, chunk=64)"),
      {"sinkhorn_blocks", "Sinkhorn",
       [blocks](std::int64_t n) {
         return fmt::format("sinkhorn_blocks(size=256, blocks={})", blocks(n, 256));
       }},
      {"synthesizer", "Synthesizer", [](std::int64_t n) {
         return fmt::format("synthesizer(kind=factorised, size=8, length={})", n);
       }}};
  return all;
}

std::vector<LongCurve> measure_long(const LongOptions& options) {
  if (!std::ranges::is_sorted(options.lengths) || options.lengths.empty() ||
      options.lengths.front() < 1) {
    throw UsageError("long: lengths are to ascend from 1 or more");
  }
  const ThreadScope one(1);
  std::vector<LongCurve> curves;
  Progress progress({.what = "mechanisms", .total = long_mechanisms().size()});
  for (const std::string& name : options.names) {
    if (std::ranges::find(long_mechanisms(), name, &LongMechanism::name) != long_mechanisms().end())
      continue;
    std::vector<std::string> known;
    for (const LongMechanism& mechanism : long_mechanisms()) known.push_back(mechanism.name);
    throw UsageError("--of: \"{}\"; it takes some of {}", name, join(known, ", "));
  }
  for (const LongMechanism& mechanism : long_mechanisms()) {
    if (!options.names.empty() && std::ranges::count(options.names, mechanism.name) == 0) continue;
    LongCurve& curve = curves.emplace_back(LongCurve{.mechanism = &mechanism, .points = {}});
    for (const std::int64_t tokens : options.lengths) {
      progress.update(curves.size() - 1, fmt::format("{}, {} tokens", mechanism.name, tokens));
      if (!curve.points.empty()) {
        // As the square of the length at worst, in time and in memory.
        const LongPoint& last = curve.points.back();
        const double more = static_cast<double>(tokens) / static_cast<double>(last.tokens);
        const bool square = curve.points.size() < 2 || exponents_of(curve, 1).training > 1.5;
        if (last.training.seconds * (square ? more * more : more) > options.seconds) break;
        if (last.training.bytes * (square ? more * more : more) > kMostLongBytes) break;
      }
      curve.points.push_back(point_of(mechanism, tokens, options));
    }
  }
  return curves;
}

std::int64_t fitted_from(const std::vector<std::int64_t>& lengths) {
  const std::int64_t wish = 2048;
  const bool enough = lengths.size() > 1 && lengths[lengths.size() - 2] >= wish;
  return enough ? wish : lengths.front();
}

LongExponents exponents_of(const LongCurve& curve, std::int64_t from) {
  std::vector<double> tokens, forward, training, memory;
  for (const LongPoint& point : curve.points) {
    if (point.tokens < from) continue;
    tokens.push_back(static_cast<double>(point.tokens));
    forward.push_back(point.forward.seconds);
    training.push_back(point.training.seconds);
    memory.push_back(point.training.bytes);
  }
  if (tokens.size() < 2) return {};
  return {fitted_exponent(tokens, forward), fitted_exponent(tokens, training),
          fitted_exponent(tokens, memory)};
}

LongReading measure_reading(const std::string& written, std::int64_t tokens, std::uint64_t seed) {
  LongReading found{.written = written, .tokens = tokens};
  const ThreadScope one(1);
  const auto bytes = peak_growth([&] {
    const NoGradient values_only;
    Random random(seed);
    const models::Gpt model(stack_of(written, tokens), random);
    const Ids text = text_of(tokens, random);
    const double begin = processor_seconds();
    model.read(model.start(1), text, {});
    found.seconds = processor_seconds() - begin;
  });
  found.bytes = static_cast<double>(bytes.value_or(0));
  return found;
}

std::vector<double> measure_writing(const std::string& written, std::span<const std::int64_t> after,
                                    std::uint64_t seed) {
  constexpr int kTurns = 40, kTokens = 8;
  const NoGradient values_only;
  const ThreadScope one(1);
  Random random(seed);
  const std::int64_t longest = *std::ranges::max_element(after);
  const models::Gpt model(stack_of(written, longest + kTurns * kTokens), random);
  std::vector<models::DecoderState> states;
  for (const std::int64_t tokens : after) {
    states.push_back(model.read(model.start(1), text_of(tokens, random), {}).state);
  }
  std::vector<double> best(after.size(), std::numeric_limits<double>::infinity());
  for (int turn = 0; turn < kTurns; ++turn) {
    for (std::size_t i = 0; i < after.size(); ++i) {
      const Ids next = text_of(1, random);
      const double begin = processor_seconds();
      for (int t = 0; t < kTokens; ++t) states[i] = model.read(states[i], next, {}).state;
      best[i] = std::min(best[i], (processor_seconds() - begin) * 1e3 / kTokens);
    }
  }
  return best;
}

double error_to_softmax(const std::string& written, const LongTexts& texts) {
  constexpr int kSeeds = 8;
  const NoGradient values_only;
  const ThreadScope one(1);
  const std::int64_t width = texts.width;
  double error = 0;
  for (int i = 0; i < kSeeds; ++i) {
    Random random(texts.seed + static_cast<std::uint64_t>(i));
    const Shape shape{1, 1, texts.tokens, width};
    const auto root = static_cast<Real>(std::sqrt(texts.deviation));
    const Tensor query = nn::normal(shape, random) * root, keys = nn::normal(shape, random) * root,
                 values = nn::normal(shape, random);
    const auto context = [&](const std::string& text) {
      const auto look = attention::make_attention(
          text, {.query_width = width, .key_width = width, .value_width = width}, random);
      return look->attend(query, look->memory(keys, values)).context.value().packed();
    };
    const Tensor exact = context("scaled_dot"), found = context(written);
    for (std::int64_t j = 0; j < exact.size(); ++j) {
      error += std::abs(static_cast<double>(found.data()[j] - exact.data()[j]));
    }
    error /= i + 1 < kSeeds ? 1.0 : static_cast<double>(exact.size() * kSeeds);
  }
  return error;
}

}  // namespace heed::cli
