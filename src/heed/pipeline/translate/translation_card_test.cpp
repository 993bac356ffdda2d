// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/translate/translation_card.h"

#include <gtest/gtest.h>

#include "heed/pipeline/testing.h"

namespace heed::pipeline {
namespace {

TEST(TranslationCard, SaysWhatATranslatorIsAndHowGood) {
  test::TemporaryFolder place;
  TranslationOptions options;
  testing::set_small(options, place.path());
  text::PairReader pairs({.source = options.train_source, .target = options.train_target});
  const Vocabularies vocabularies = make_vocabularies(options, pairs);
  Random random(1);
  const auto model = make_model(options.model, vocabularies.sizes(), random);
  const ModelCard made{.title = "model",
                       .kind = "A translator",
                       .facts = translation_facts(options, vocabularies, nn::parameters(*model)),
                       .measured = {{"bleu", 37.5}},
                       .use = options.kind().use_of("model")};
  const std::string card = made.text();
  for (const char* fact : {"# model", "seq2seq", "additive", "10 source, 10 target",
                           "validation bleu | 37.5", "heed translate --model model < SOURCE"}) {
    EXPECT_NE(card.find(fact), std::string::npos) << fact << " in\n" << card;
  }
}

}  // namespace
}  // namespace heed::pipeline
