// SPDX-License-Identifier: Apache-2.0
// Explaining: every deletion of a text at once beside one by one, and the largest flow through
// layers of attention.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <limits>
#include <memory>

#include "cli/bench/harness.h"
#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/base/threads.h"
#include "heed/explain/attention_flow.h"
#include "heed/explain/explainer.h"
#include "heed/pipeline/classify/classifier.h"

namespace heed::cli {
namespace {

constexpr std::size_t kExplainedWords = 40;
constexpr std::int64_t kFlowTokens = 60, kFlowLayers = 6;
constexpr double kSameScore = 1e-5;
constexpr double kMsOfRow = 300;

// A classifier of random weights with a preset's sizes.
pipeline::Classifier classifier_of(models::TextEncoderKind kind) {
  Random random(1);
  text::Labels labels(std::vector<std::string>{"mood"});
  for (const char* label : {"glad", "sad"}) labels.add(std::vector<std::string>{label});
  const pipeline::TokeniserPointer words =
      text::train_tokeniser({.kind = text::TokeniserKind::words},
                            std::vector<std::string>{"one two three four five six seven"});
  models::ClassifierOptions options{
      .encoder = {.vocabulary = words->size(), .kind = kind, .embedding = 128, .hidden = 128},
      .classes = {2}};
  options.encoder.stack.width = 128;
  options.encoder.stack.heads = 4;
  options.encoder.stack.inner = 256;
  options.encoder.stack.layers = 2;
  options.encoder.stack.dropout = 0;
  return pipeline::Classifier(
      {words, labels, std::make_shared<models::Classifier>(options, random)});
}

// On one thread, by the processor's time: whoever else computes on the machine does not count.
BenchRow cpu_row(const std::string& name, const std::function<void()>& run) {
  const ThreadScope one(1);
  run();  // warms caches and pools
  double best = std::numeric_limits<double>::infinity(), spent = 0;
  for (int sample = 0; sample < 3 || spent < kMsOfRow; ++sample) {
    const std::clock_t begin = std::clock();
    run();
    const double ms = 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    best = std::min(best, ms);
    spent += std::max(ms, 1.);
  }
  return {.name = name, .ms = best};
}

std::vector<explain::Kept> deletions() {
  std::vector<explain::Kept> copies(kExplainedWords, explain::Kept(kExplainedWords, true));
  for (std::size_t t = 0; t < kExplainedWords; ++t) copies[t][t] = false;
  return copies;
}

void add_deletions(std::vector<BenchRow>& rows, const std::string& name,
                   models::TextEncoderKind kind) {
  const pipeline::Classifier classifier = classifier_of(kind);
  std::string text;
  const std::vector<std::string> words = {"one", "two", "three", "four", "five", "six", "seven"};
  for (std::size_t i = 0; i < kExplainedWords; ++i) text += words[i * i % words.size()] + " ";
  const pipeline::Explained explained = classifier.explained({text});
  const explain::Subject& subject = *explained.subject;
  const std::vector<explain::Kept> copies = deletions();
  std::vector<double> together, alone(kExplainedWords);
  BenchRow row = cpu_row(fmt::format("leave_one_out_{}_alone", name), [&] {
    for (std::size_t t = 0; t < kExplainedWords; ++t) {
      alone[t] = subject.outputs(std::span(copies).subspan(t, 1), explain::Removal::erase).front();
    }
  });
  BenchRow batched = cpu_row(fmt::format("leave_one_out_{}_batched", name),
                             [&] { together = subject.outputs(copies, explain::Removal::erase); });
  batched.ratio = row.ms / batched.ms;
  batched.goal = {.value = 4};
  rows.push_back(std::move(row));
  rows.push_back(std::move(batched));
  for (std::size_t t = 0; t < kExplainedWords; ++t) {
    if (std::abs(together[t] - alone[t]) > kSameScore) {
      throw InternalError("bench explain: {} without word {} is {} among others and {} alone", name,
                          t, together[t], alone[t]);
    }
  }
}

std::vector<BenchRow> explain_rows() {
  std::vector<BenchRow> rows;
  add_deletions(rows, "cnn", models::TextEncoderKind::cnn);
  add_deletions(rows, "rnn", models::TextEncoderKind::rnn);
  add_deletions(rows, "self_attention", models::TextEncoderKind::transformer);
  Random random(1);
  std::vector<Tensor> layers;
  for (std::int64_t layer = 0; layer < kFlowLayers; ++layer) {
    Tensor weights({4, kFlowTokens, kFlowTokens});
    for (std::int64_t row = 0; row < 4 * kFlowTokens; ++row) {
      Real* cells = weights.mutable_data() + row * kFlowTokens;
      Real sum = 0;
      for (std::int64_t k = 0; k < kFlowTokens; ++k) {
        cells[k] = std::exp(3 * random.normal<Real>());
        sum += cells[k];
      }
      for (std::int64_t k = 0; k < kFlowTokens; ++k) cells[k] /= sum;
    }
    layers.push_back(weights);
  }
  rows.push_back(cpu_row("attention_flow_6x60", [&] { explain::attention_flow(layers); }));
  return rows;
}

const ListedBenchmark kListed({"explain", "leave-one-out at once beside one by one, attention flow",
                               explain_rows});

}  // namespace
}  // namespace heed::cli
