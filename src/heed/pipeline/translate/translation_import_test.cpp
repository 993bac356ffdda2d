// SPDX-License-Identifier: Apache-2.0
// Imported translators give what their own program gives, to 1e-4: encoder, decoder, every
// attention, and the likeliest translation.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "heed/decoding/search.h"
#include "heed/decoding/translation_stepper.h"
#include "heed/models/transformer.h"
#include "heed/pipeline/foreign/foreign_testing.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/translate/translation_choices.h"
#include "heed/pipeline/translate/translation_options.h"
#include "heed/pipeline/translate/vocabularies.h"

namespace heed::pipeline {
namespace {

using namespace testing;

std::string pair_vocabulary(const std::string& name) {
  if (name == "marian")
    return tiny_vocabulary({{0, "</s>"}, {1, "<unk>"}, {47, "<pad>"}}, "", "</s>");
  return tiny_vocabulary({{0, "<pad>"}, {1, "</s>"}, {2, "<unk>"}}, "", "</s>");
}

struct ImportedTranslator {
  explicit ImportedTranslator(const std::string& name) {
    copy_tiny(name, folder / "foreign", pair_vocabulary(name));
    import_model({.from = folder / "foreign", .to = folder / "model"});
    const ModelFolder imported{folder / "model"};
    imported.check("translate");
    TranslationOptions options;
    imported.read_config(options.list);
    const Vocabularies vocabularies = load_vocabularies(imported, options);
    tokens = tokens_of(*vocabularies.source);
    Random random(1);
    model = make_model(options.model, vocabularies.sizes(), random);
    nn::Parameters parameters = nn::parameters(*model);
    imported.load_weights(parameters);
  }

  Ids ids(const std::vector<std::int32_t>& numbers, std::int64_t batch) const {
    std::vector<std::int32_t> ids;
    for (const std::int32_t number : numbers) ids.push_back(tokens.at(number));
    return Ids::of({batch, static_cast<std::int64_t>(ids.size()) / batch}, ids);
  }

  test::TemporaryFolder folder;
  std::map<int, text::Token> tokens;
  std::unique_ptr<models::EncoderDecoder> model;
};

std::vector<std::int32_t> lengths_of_masks(const Expected& expected) {
  const std::vector<std::size_t> shape = expected.shape("in.attention_mask");
  const std::vector<std::int32_t> mask = expected.numbers("in.attention_mask");
  std::vector<std::int32_t> lengths;
  for (std::size_t b = 0; b < shape[0]; ++b) {
    const auto row = mask.begin() + static_cast<std::ptrdiff_t>(b * shape[1]);
    lengths.push_back(std::accumulate(row, row + static_cast<std::ptrdiff_t>(shape[1]), 0));
  }
  return lengths;
}

class ImportedTranslation : public ::testing::TestWithParam<std::string> {};

TEST_P(ImportedTranslation, GivesTheLogitsAndWeightsOfItsOwnProgram) {
  const NoGradient values_only;
  const ImportedTranslator imported(GetParam());
  const Expected expected(GetParam());
  const std::vector<std::int32_t> lengths = lengths_of_masks(expected);
  const auto batch = static_cast<std::int64_t>(lengths.size());
  Watcher watcher;
  const models::Encoded encoded = imported.model->encode(
      models::Sequences{imported.ids(expected.numbers("in.input_ids"), batch),
                        Ids::of({batch}, lengths)},
      {.watch = &watcher});
  // A decoder is given its targets and reads them from the begin on: the inputs but the first, and
  // any token at the end.
  const std::vector<std::int32_t> read = expected.numbers("in.decoder_input_ids");
  const auto steps = static_cast<std::int64_t>(read.size()) / batch;
  std::vector<std::int32_t> targets, full;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t t = 1; t <= steps; ++t) {
      targets.push_back(t < steps ? read[static_cast<std::size_t>(b * steps + t)] : 5);
    }
    full.push_back(static_cast<std::int32_t>(steps));
  }
  const models::Decoded decoded = imported.model->decoder().decode(
      encoded, {imported.ids(targets, batch), Ids::of({batch}, full)}, {.watch = &watcher});
  const Tensor logits = decoded.logits.value();
  const std::vector<Real> wanted = expected.values("out.logits");
  double worst = 0;
  for (std::int64_t row = 0; row < batch * steps; ++row) {
    for (int number = 0; number < kTinyPieces; ++number) {
      const double mine = logits.at({row, imported.tokens.at(number)});
      worst = std::max(
          worst, std::abs(mine - wanted[static_cast<std::size_t>(row * kTinyPieces + number)]));
    }
  }
  EXPECT_LE(worst, kClose) << "logits";
  expect_weights(watcher.weights_of["encoder self"], expected, "out.encoder_attentions", lengths,
                 lengths);
  expect_weights(watcher.weights_of["decoder self"], expected, "out.decoder_attentions", full,
                 full);
  expect_weights(watcher.weights_of["cross"], expected, "out.cross_attentions", full, lengths);
}

TEST_P(ImportedTranslation, WritesTheLikeliestTextThatItsOwnProgramWrites) {
  const NoGradient values_only;
  const ImportedTranslator imported(GetParam());
  const Expected expected(GetParam());
  const std::vector<std::int32_t> lengths = lengths_of_masks(expected);
  const auto batch = static_cast<std::int64_t>(lengths.size());
  const models::Encoded encoded = imported.model->encode(
      models::Sequences{imported.ids(expected.numbers("in.input_ids"), batch),
                        Ids::of({batch}, lengths)},
      {});
  const std::vector<std::int32_t> wanted = expected.numbers("out.greedy");
  const auto columns = static_cast<std::int64_t>(expected.shape("out.greedy")[1]);
  const bool marian = GetParam() == "marian";
  const int pad = marian ? 47 : 0;
  const int end = marian ? 0 : 1;
  std::vector<bool> ended(static_cast<std::size_t>(batch), false);
  models::DecoderState state = imported.model->decoder().start(encoded);
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(batch), text::kBegin);
  for (std::int64_t t = 1; t < columns; ++t) {
    models::Step step =
        imported.model->decoder().step(encoded, state, Ids::of({batch}, tokens), {});
    state = std::move(step.state);
    for (std::int64_t b = 0; b < batch; ++b) {
      int best = -1;
      for (int number = 0; number < kTinyPieces; ++number) {
        // Marian's padding is never written.
        if (marian && number == pad) continue;
        const auto at = [&](int one) {
          return step.logits.value().at({b, imported.tokens.at(one)});
        };
        if (best < 0 || at(number) > at(best)) best = number;
      }
      const auto row = static_cast<std::size_t>(b);
      if (ended[row]) best = pad;
      ended[row] = ended[row] || best == end;
      EXPECT_EQ(best, wanted[static_cast<std::size_t>(b * columns + t)]) << b << ", " << t;
      tokens[row] = imported.tokens.at(wanted[static_cast<std::size_t>(b * columns + t)]);
    }
  }
}

TEST(ImportedTranslator, SearchesWithABeamAsItsOwnProgramDoes) {
  const NoGradient values_only;
  const ImportedTranslator imported("marian");
  const Expected expected("marian");
  const std::vector<std::int32_t> lengths = lengths_of_masks(expected);
  const auto batch = static_cast<std::int64_t>(lengths.size());
  decoding::TranslationStepper stepper(
      *imported.model, models::Source{{imported.ids(expected.numbers("in.input_ids"), batch),
                                       Ids::of({batch}, lengths)}});
  const std::vector<std::int32_t> wanted = expected.numbers("out.beam4");
  const std::size_t columns = expected.shape("out.beam4")[1];
  decoding::BeamOptions options{.width = 4,
                                .length = kept_length(imported.folder / "model"),
                                .stopping = decoding::Stopping::estimate};
  EXPECT_EQ(options.length->scale, decoding::LengthScale::power);
  EXPECT_EQ(options.length->alpha, 1);
  options.constraints.most = {.per_source = 0, .constant = static_cast<double>(columns - 1)};
  const auto found = decoding::beam_search(stepper, options);
  for (std::size_t b = 0; b < found.size(); ++b) {
    const text::Tokens& tokens = found[b][0].tokens;
    ASSERT_EQ(tokens.size(), columns - 1);
    for (std::size_t t = 0; t + 1 < columns; ++t) {
      EXPECT_EQ(tokens[t], imported.tokens.at(wanted[b * columns + t + 1])) << b << ", " << t;
    }
  }
}

TEST(ImportedTranslator, KeepsTheLengthPenaltyOfItsFolder) {
  const test::TemporaryFolder folder;
  copy_tiny("marian", folder / "foreign", pair_vocabulary("marian"));
  const fs::path config = folder / "foreign" / "generation_config.json";
  write_atomically(config, R"({"decoder_start_token_id": 47, "length_penalty": 0.5})");
  import_model({.from = folder / "foreign", .to = folder / "model"});
  EXPECT_EQ(kept_length(folder / "model").alpha, .5);
  write_atomically(config, R"({"decoder_start_token_id": 47, "length_penalty": 99})");
  EXPECT_NE(test::message_of<DataError>([&] {
              import_model({.from = folder / "foreign", .to = folder / "other"});
            }).find("length_penalty 99"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Golden, ImportedTranslation, ::testing::Values("marian", "t5", "t5-gated"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace heed::pipeline
