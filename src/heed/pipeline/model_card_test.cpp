// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/model_card.h"

#include <gtest/gtest.h>

#include "heed/base/testing.h"
#include "heed/pipeline/testing.h"

namespace heed::pipeline {
namespace {

TEST(ModelCard, ListsFactsAndMeasurementsAndTheCommandThatUsesIt) {
  const ModelCard card{.title = "tiny",
                       .kind = "A counter",
                       .facts = {{"parameters", "12"}},
                       .measured = {{"loss", .25}},
                       .use = "heed count --model tiny"};
  EXPECT_EQ(card.text(),
            fmt::format("# tiny\n\nA counter made by heed {}.\n\n| | |\n|---|---|\n"
                        "| parameters | 12 |\n| validation loss | 0.25 |\n\nUse it:\n\n"
                        "    heed count --model tiny\n\n"
                        "Every option of its training is in config.toml.\n",
                        HEED_VERSION));
}

TEST(ModelCard, SaysWhatATranslatorIsAndHowGood) {
  test::TemporaryFolder place;
  TranslationOptions options;
  testing::set_small(options, place.path());
  text::PairReader pairs({.source = options.train_source, .target = options.train_target});
  const Vocabularies vocabularies = make_vocabularies(options, pairs);
  Random random(1);
  const auto model = make_model(options.model, vocabularies.sizes(), random);
  const std::string card =
      translation_card(options, vocabularies, nn::parameters(*model), {{"bleu", 37.5}}).text();
  for (const char* fact : {"# model", "seq2seq", "additive", "10 source, 10 target",
                           "validation bleu | 37.5", "heed translate --model"}) {
    EXPECT_NE(card.find(fact), std::string::npos) << fact << " in\n" << card;
  }
}

}  // namespace
}  // namespace heed::pipeline
