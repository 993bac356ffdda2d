// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/translate/translation_weights.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/pipeline/testing.h"

namespace heed::pipeline {
namespace {

struct Start {
  test::TemporaryFolder place;
  TranslationOptions options;
  Vocabularies vocabularies;
  std::unique_ptr<models::EncoderDecoder> model;

  Start() {
    testing::set_small(options, place.path());
    text::PairReader pairs({.source = options.train_source, .target = options.train_target});
    vocabularies = make_vocabularies(options, pairs);
    Random random(3);
    model = make_model(options.model, vocabularies.sizes(), random);
  }
  Tensor table(const std::string& name) {
    for (const nn::Parameter& parameter : nn::parameters(*model)) {
      if (parameter.name == name) return parameter.variable.value();
    }
    return {};
  }
};

TEST(TranslationWeights, AreTheWordVectorsOfTheWordsThatHaveOne) {
  Start start;
  std::string vector = "b";
  for (int i = 0; i < 24; ++i) vector += fmt::format(" {}", i);
  write_atomically(start.place / "vectors", vector + "\n");
  start.options.embeddings = (start.place / "vectors").string();
  const Tensor before = start.table("source.weight").clone();
  set_translation_weights(start.options, start.vocabularies, nn::parameters(*start.model));
  const Tensor after = start.table("source.weight");
  const text::Token b = start.vocabularies.source->find("b");
  const text::Token a = start.vocabularies.source->find("a");
  EXPECT_EQ(after.at({b, 5}), 5);
  EXPECT_EQ(after.at({a, 5}), before.at({a, 5}));
}

TEST(TranslationWeights, OfAModelWithNothingInCommonAreRefused) {
  Start start;
  start.options.trainer.max_updates = 1;
  train(start.options, testing::silent);
  TranslationOptions other;
  test::TemporaryFolder place;
  testing::set_small(other, place.path(), "transformer");
  other.model.tie = models::Tie::none;
  other.init_from = start.options.out;
  Random random(1);
  const auto model = make_model(other.model, {50, 60}, random);
  EXPECT_THROW(set_translation_weights(other, start.vocabularies, nn::parameters(*model)),
               UsageError);
}

}  // namespace
}  // namespace heed::pipeline
