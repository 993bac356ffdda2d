// SPDX-License-Identifier: Apache-2.0
// Language models: training steps of the small LSTM of Zaremba 2014, and one stream of text written
// by a Transformer of 6 layers and width 288. benchmarks/peers/language_pytorch.py does the former.
#include <atomic>
#include <memory>
#include <vector>

#include "cli/bench/harness.h"
#include "heed/base/random.h"
#include "heed/base/threads.h"
#include "heed/decoding/language_stepper.h"
#include "heed/kernels/measure.h"
#include "heed/models/gpt.h"
#include "heed/models/recurrent_language_model.h"
#include "heed/training/optimiser.h"

namespace heed::cli {
namespace {

constexpr std::int64_t kTracks = 20, kTrackLength = 20, kWords = 10'000, kTrackHidden = 200;
constexpr int kLayers = 2;

Ids random_window(Random& random) {
  Ids ids({kTracks, kTrackLength});
  for (std::int64_t i = 0; i < ids.size(); ++i) {
    ids.mutable_data()[i] = static_cast<std::int32_t>(random.integer(kWords));
  }
  return ids;
}

// Truncated backpropagation with a carried state: forward, backward, clipping and plain descent.
BenchRow lstm_step() {
  Random random(1);
  models::RecurrentLanguageModel model({.vocabulary = kWords,
                                        .embedding = kTrackHidden,
                                        .hidden = kTrackHidden,
                                        .layers = kLayers,
                                        .tie = models::Tie::none},
                                       random);
  training::Optimiser descent(nn::parameters(model), training::Sgd{});
  const Ids read = random_window(random), next = random_window(random);
  models::DecoderState state = model.start(kTracks);
  // Of the products: three times two per element of a weight and token.
  const double products =
      static_cast<double>(kLayers * 8 * kTrackHidden * kTrackHidden + kTrackHidden * kWords);
  const auto tokens = static_cast<double>(kTracks * kTrackLength);
  BenchRow row = measure("language_lstm", {.flops = 6 * tokens * products}, [&] {
    const models::Reading reading = model.read(state, read, {});
    backward(cross_entropy(model.logits(reading.hidden), next));
    descent.step({.learning_rate = 1e-3, .clip_norm = 0.25});
    state = reading.state.detached();
  });
  row.words_per_second = tokens / (row.ms * 1e-3);
  return row;
}

models::Gpt small_gpt() {
  Random random(1);
  models::GptOptions options{.vocabulary = 32'000, .context = 256};
  options.stack.width = 288;
  options.stack.heads = 6;
  options.stack.inner = 1152;
  options.stack.layers = 6;
  options.stack.positions = models::Positions::rotary;
  return {options, random};
}

// A token of one stream reads every weight once: the time of a token over that of a pass over the
// weights which does nothing but read, on as many threads.
BenchRow generation() {
  models::Gpt model = small_gpt();
  const nn::Parameters parameters = nn::parameters(model);
  std::vector<std::uint32_t> weights(static_cast<std::size_t>(nn::parameter_count(parameters)));
  decoding::LanguageStepper stepper(model, {text::kEnd});
  const Ids token = Ids::of({1}, {5});
  stepper.step(token, nullptr);
  std::atomic<std::uint32_t> seen = 0;
  const auto read_weights = [&] {
    parallel_for(weights.size(), 1 << 16, [&](std::size_t begin, std::size_t end) {
      seen ^= kernels::read_pass(weights.data() + begin, end - begin);
    });
  };
  BenchRow row = measure_ratio("language_gpt_token", {.run = [&] { stepper.step(token, nullptr); }},
                               {.run = read_weights}, 3);
  row.words_per_second = 1e3 / row.ms;
  row.goal = Goal{.at_least = false, .value = 1 / .7};
  return row;
}

// The time of a token by weights in fewer bits, over that by weights as they are.
BenchRow generation_in(WeightForm form, double goal) {
  models::Gpt model = small_gpt();
  const Ids token = Ids::of({1}, {5});
  PackedWeights kept(form);
  std::unique_ptr<decoding::LanguageStepper> stepper;
  {
    const PackedWeights::Scope scope(kept);
    stepper = std::make_unique<decoding::LanguageStepper>(model, text::Tokens{text::kEnd});
  }
  decoding::LanguageStepper exact(model, {text::kEnd});
  stepper->step(token, nullptr);
  exact.step(token, nullptr);
  BenchRow row =
      measure_ratio("language_gpt_token_" + weight_form_names()[static_cast<std::size_t>(form)],
                    {.run = [&] { stepper->step(token, nullptr); }},
                    {.run = [&] { exact.step(token, nullptr); }}, 3);
  row.words_per_second = 1e3 / row.ms;
  row.goal = Goal{.at_least = false, .value = 1 / goal};
  return row;
}

std::vector<BenchRow> language_rows() {
  return {lstm_step(), generation(), generation_in(WeightForm::bf16, 1.4),
          generation_in(WeightForm::int8, 1.8)};
}

const ListedBenchmark kListed(
    {"language", "training steps of an LSTM language model, and text written by a Transformer",
     language_rows});

}  // namespace
}  // namespace heed::cli
