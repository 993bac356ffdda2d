// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/model_card.h"

#include <gtest/gtest.h>

#include "heed/base/testing.h"
#include "heed/pipeline/testing.h"

namespace heed::pipeline {
namespace {

TEST(ModelCard, SaysWhatTheModelIsAndHowGood) {
  test::TemporaryFolder place;
  TranslationOptions options;
  testing::set_small(options, place.path());
  text::PairReader pairs({.source = options.train_source, .target = options.train_target});
  const Vocabularies vocabularies = make_vocabularies(options, pairs);
  Random random(1);
  const auto model = make_model(options.model, vocabularies.sizes(), random);
  const std::string card =
      model_card(options, vocabularies, nn::parameters(*model), {{"bleu", 37.5}});
  for (const char* fact : {"# model", "seq2seq", "additive", "10 source, 10 target",
                           "validation bleu | 37.5", "heed translate --model"}) {
    EXPECT_NE(card.find(fact), std::string::npos) << fact << " in\n" << card;
  }
}

}  // namespace
}  // namespace heed::pipeline
