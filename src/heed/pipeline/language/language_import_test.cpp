// SPDX-License-Identifier: Apache-2.0
// Imported language models give what their own program gives: logits, states, weights of every head
// and the likeliest continuation, to 1e-4.
#include <gtest/gtest.h>

#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/pipeline/foreign/foreign_testing.h"
#include "heed/pipeline/language/language_generator.h"

namespace heed::pipeline {
namespace {

using namespace testing;

std::string language_vocabulary(const std::string& name) {
  if (name == "gpt2") return tiny_vocabulary({{0, "<|endoftext|>"}});
  return tiny_vocabulary({{0, "<unk>"}, {1, "<s>"}, {2, "</s>"}}, "<s>");
}

// An imported tiny model, read in original numbers.
struct ImportedTiny {
  explicit ImportedTiny(const std::string& name) {
    copy_tiny(name, folder / "foreign", language_vocabulary(name));
    report = import_model({.from = folder / "foreign", .to = folder / "model"});
    generator.emplace(folder / "model");
    tokens = tokens_of(generator->tokeniser());
  }

  // [T,48] of the texts' tokens, and what was observed on the way.
  std::vector<std::vector<Real>> logits(const std::vector<std::int32_t>& numbers,
                                        Watcher* watch = nullptr, Tensor* hidden = nullptr) const {
    const NoGradient values_only;
    std::vector<std::int32_t> ids;
    for (const std::int32_t number : numbers) ids.push_back(tokens.at(number));
    const auto length = static_cast<std::int64_t>(ids.size());
    const models::LanguageModel& model = generator->model();
    const models::Reading reading =
        model.read(model.start(1), Ids::of({1, length}, ids), {.watch = watch});
    if (hidden != nullptr) *hidden = reading.hidden.value();
    const Tensor all = model.logits(reading.hidden).value();
    std::vector<std::vector<Real>> rows;
    for (std::int64_t t = 0; t < length; ++t) {
      std::vector<Real>& row = rows.emplace_back();
      for (int number = 0; number < kTinyPieces; ++number) {
        row.push_back(all.at({0, t, tokens.at(number)}));
      }
    }
    return rows;
  }

  test::TemporaryFolder folder;
  ImportReport report;
  std::optional<LanguageGenerator> generator;
  std::map<int, text::Token> tokens;
};

class ImportedLanguageModel : public ::testing::TestWithParam<std::string> {};

TEST_P(ImportedLanguageModel, GivesTheLogitsStatesAndWeightsOfItsOwnProgram) {
  const ImportedTiny imported(GetParam());
  const Expected expected(GetParam());
  const std::vector<std::int32_t> input = expected.numbers("in.input_ids");
  Watcher watcher;
  Tensor last;
  const auto logits = imported.logits(input, &watcher, &last);
  const std::vector<Real> wanted = expected.values("out.logits");
  double worst = 0;
  for (std::size_t t = 0; t < logits.size(); ++t) {
    for (std::size_t v = 0; v < logits[t].size(); ++v) {
      worst = std::max(worst,
                       std::abs(static_cast<double>(logits[t][v]) - wanted[t * kTinyPieces + v]));
    }
  }
  EXPECT_LE(worst, kClose) << "logits";
  const auto length = static_cast<std::int32_t>(input.size());
  expect_weights(watcher.weights_of["decoder self"], expected, "out.attentions", {length},
                 {length});
  // The states behind each layer but the last, which is told behind the last norm.
  const std::vector<Real> states = expected.values("out.hidden");
  const std::vector<Tensor>& found = watcher.states_of["decoder self"];
  const std::size_t size = states.size() / (found.size() + 1);
  worst = 0;
  for (std::size_t l = 0; l < found.size(); ++l) {
    const std::vector<Real> mine = (l + 1 < found.size() ? found[l] : last).values();
    ASSERT_EQ(mine.size(), size);
    for (std::size_t i = 0; i < size; ++i) {
      worst = std::max(worst, std::abs(static_cast<double>(mine[i]) - states[(l + 1) * size + i]));
    }
  }
  EXPECT_LE(worst, kClose) << "states";
}

TEST_P(ImportedLanguageModel, WritesTheLikeliestTextThatItsOwnProgramWrites) {
  const ImportedTiny imported(GetParam());
  const Expected expected(GetParam());
  std::vector<std::int32_t> text = expected.numbers("in.input_ids");
  const std::vector<std::int32_t> wanted = expected.numbers("out.greedy");
  while (text.size() < wanted.size()) {
    const std::vector<Real> row = imported.logits(text).back();
    text.push_back(
        static_cast<std::int32_t>(std::max_element(row.begin(), row.end()) - row.begin()));
  }
  EXPECT_EQ(text, wanted);
}

TEST_P(ImportedLanguageModel, GivesNoProbabilityToRowsThatItsOwnProgramDoesNotHave) {
  const NoGradient values_only;
  const ImportedTiny imported(GetParam());
  const models::LanguageModel& model = imported.generator->model();
  const models::Reading reading =
      model.read(model.start(1), Ids::of({1, 1}, {imported.tokens.at(7)}), {});
  const Tensor shares = softmax(model.logits(reading.hidden)).value();
  double own = 0;
  for (const auto& [number, token] : imported.tokens) own += shares.at({0, 0, token});
  EXPECT_NEAR(own, 1, 1e-6);
  EXPECT_EQ(shares.size(2), imported.report.tokens);
}

INSTANTIATE_TEST_SUITE_P(Golden, ImportedLanguageModel,
                         ::testing::Values("gpt2", "llama", "llama-grouped-tied", "llama-linear",
                                           "llama3", "mistral-window", "qwen2"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace heed::pipeline
