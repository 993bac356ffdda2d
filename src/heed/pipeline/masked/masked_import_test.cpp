// SPDX-License-Identifier: Apache-2.0
// Imported models of masked words give what their own program gives, to 1e-4.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "heed/pipeline/foreign/foreign_testing.h"
#include "heed/pipeline/masked/filler.h"
#include "heed/pipeline/masked/masked_options.h"
#include "heed/pipeline/model_folder.h"

namespace heed::pipeline {
namespace {

using namespace testing;

std::string masked_vocabulary(const std::string& name) {
  if (name == "roberta-masked") {
    return tiny_vocabulary({{0, "<s>"}, {1, "<pad>"}, {2, "</s>"}, {3, "<unk>"}, {4, "<mask>"}},
                           "<s>", "</s>");
  }
  return tiny_vocabulary({{0, "[PAD]"}, {1, "[UNK]"}, {2, "[CLS]"}, {3, "[SEP]"}, {4, "[MASK]"}},
                         "[CLS]", "[SEP]");
}

class ImportedMaskedModel : public ::testing::TestWithParam<std::string> {};

TEST_P(ImportedMaskedModel, GivesTheLogitsStatesAndWeightsOfItsOwnProgram) {
  const NoGradient values_only;
  const test::TemporaryFolder folder;
  copy_tiny(GetParam(), folder / "foreign", masked_vocabulary(GetParam()));
  import_model({.from = folder / "foreign", .to = folder / "model"});
  const ModelFolder imported{folder / "model"};
  imported.check("masked");
  MaskedOptions options;
  imported.read_config(options.list);
  const auto tokeniser = text::load_tokeniser(imported.file(kTokeniserFile));
  Random random(1);
  models::MaskedModel model(options.to_options(tokeniser->size()), random);
  nn::Parameters parameters = nn::parameters(model);
  imported.load_weights(parameters);

  const Expected expected(GetParam());
  const std::vector<std::size_t> shape = expected.shape("in.input_ids");
  const auto batch = static_cast<std::int64_t>(shape[0]);
  const auto steps = static_cast<std::int64_t>(shape[1]);
  std::map<int, text::Token> tokens = tokens_of(*tokeniser);
  std::vector<std::int32_t> ids = expected.numbers("in.input_ids");
  for (std::int32_t& id : ids) id = tokens.at(id);
  const std::vector<std::int32_t> mask = expected.numbers("in.attention_mask");
  std::vector<std::int32_t> lengths;
  for (std::int64_t b = 0; b < batch; ++b) {
    const auto row = mask.begin() + b * steps;
    lengths.push_back(std::accumulate(row, row + steps, 0));
  }
  models::Sequences text{Ids::of({batch, steps}, ids), Ids::of({batch}, lengths)};
  if (expected.has("in.token_type_ids")) {
    text.segments = Ids::of({batch, steps}, expected.numbers("in.token_type_ids"));
  }
  std::vector<std::int32_t> places(static_cast<std::size_t>(batch * steps));
  std::iota(places.begin(), places.end(), 0);
  Watcher watcher;
  const Tensor logits = model(text, Ids::of({batch * steps}, places), {.watch = &watcher}).value();
  const std::vector<Real> wanted = expected.values("out.logits");
  double worst = 0;
  for (std::int64_t i = 0; i < batch * steps; ++i) {
    if (mask[static_cast<std::size_t>(i)] == 0) continue;
    for (int number = 0; number < kTinyPieces; ++number) {
      const double mine = logits.at({i, tokens.at(number)});
      worst = std::max(worst,
                       std::abs(mine - wanted[static_cast<std::size_t>(i * kTinyPieces + number)]));
    }
  }
  EXPECT_LE(worst, kClose) << "logits";
  expect_weights(watcher.weights_of["encoder self"], expected, "out.attentions", lengths, lengths);
  const std::vector<Real> states = expected.values("out.hidden");
  const std::vector<Tensor>& found = watcher.states_of["encoder self"];
  const std::size_t size = states.size() / (found.size() + 1);
  worst = 0;
  for (std::size_t l = 0; l < found.size(); ++l) {
    const std::vector<Real> mine = found[l].values();
    for (std::size_t i = 0; i < size; ++i) {
      if (mask[i / (size / mask.size())] == 0) continue;
      worst = std::max(worst, std::abs(static_cast<double>(mine[i]) - states[(l + 1) * size + i]));
    }
  }
  EXPECT_LE(worst, kClose) << "states";
}

TEST_P(ImportedMaskedModel, FillsAGapThatIsItsOwnMask) {
  const test::TemporaryFolder folder;
  copy_tiny(GetParam(), folder / "foreign", masked_vocabulary(GetParam()));
  import_model({.from = folder / "foreign", .to = folder / "model"});
  const Filler filler(folder / "model");
  EXPECT_NE(filler.tokeniser().mask(), text::kUnknown);
  const auto guesses = filler.fill("p7 [MASK] p9", {.top = 48});
  ASSERT_EQ(guesses.size(), 1u);
  double sum = 0;
  for (const Guess& guess : guesses[0]) sum += guess.probability;
  EXPECT_GT(sum, .5);
  EXPECT_LE(sum, 1 + 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Golden, ImportedMaskedModel,
                         ::testing::Values("bert-masked", "roberta-masked", "distilbert-masked"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace heed::pipeline
