// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/translate/validation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/pipeline/testing.h"

namespace heed::pipeline {
namespace {

TEST(Validation, OfAModelThatKnowsNothingIsAsBadAsGuessing) {
  test::TemporaryFolder place;
  TranslationOptions options;
  testing::set_small(options, place.path());
  options.valid_metrics = {"bleu", "chrf", "exact"};
  text::PairReader pairs({.source = options.train_source, .target = options.train_target});
  const Vocabularies vocabularies = make_vocabularies(options, pairs);
  Random random(1);
  std::shared_ptr<models::EncoderDecoder> model =
      make_model(options.model, vocabularies.sizes(), random);
  for (nn::Parameter& parameter : nn::parameters(*model)) {
    Tensor& value = parameter.variable.mutable_value();
    value.assign(Tensor::zeros(value.shape()));
  }
  Validation validation(options, {{"a b", "B A", 1}, {"c", "C", 2}}, vocabularies, model);
  const training::Metrics measured = validation.measure();
  EXPECT_NEAR(measured.at("loss"), std::log(10.0), 1e-5);  // ten pieces, all alike
  EXPECT_NEAR(measured.at("perplexity"), 10, 1e-4);
  EXPECT_EQ(measured.at("exact"), 0);
  EXPECT_NE(validation.samples().find("a b"), std::string::npos);
}

TEST(Validation, WithoutPairsHasNoMetrics) {
  test::TemporaryFolder place;
  TranslationOptions options;
  testing::set_small(options, place.path());
  text::PairReader pairs({.source = options.train_source, .target = options.train_target});
  const Vocabularies vocabularies = make_vocabularies(options, pairs);
  Random random(1);
  const Validation validation(options, {}, vocabularies,
                              make_model(options.model, vocabularies.sizes(), random));
  EXPECT_TRUE(validation.metrics().empty());
}

}  // namespace
}  // namespace heed::pipeline
