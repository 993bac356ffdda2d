// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/language/language_options.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::pipeline {
namespace {

TEST(LanguageOptions, EveryPresetIsWholeAndMakesAModel) {
  for (const std::string& name : preset_names(language_presets())) {
    LanguageOptions options;
    options.preset = name;
    options.train = "text";
    options.out = "model";
    options.apply_preset();
    EXPECT_NO_THROW(options.check()) << name;
    Random random(1);
    EXPECT_EQ(make_language_model(options.model, 50, random)->vocabulary(), 50) << name;
  }
}

TEST(LanguageOptions, AWindowIsAsLongAsTheContextUnlessSaid) {
  LanguageOptions options;
  EXPECT_EQ(options.window_length(), 35);
  options.model.model = LanguageModelKind::gpt;
  options.model.stack.longest = 64;
  EXPECT_EQ(options.window_length(), 64);
  options.window = 16;
  EXPECT_EQ(options.window_length(), 16);
}

TEST(LanguageOptions, ThatDoNotFitAreRefused) {
  LanguageOptions options;
  EXPECT_THROW(options.check(), UsageError);
  options.out = "model";
  EXPECT_THROW(options.check(), UsageError);
  options.train = "text";
  EXPECT_NO_THROW(options.check());
  options.valid = "other";
  options.valid_fraction = .1;
  EXPECT_THROW(options.check(), UsageError);
  options.valid_fraction = 0;
  options.model.model = LanguageModelKind::gpt;
  options.model.stack.longest = 8;
  options.window = 9;
  EXPECT_THROW(options.check(), UsageError);
}

TEST(LanguageOptions, AMemoryOfSegmentsHasDistancesForPositionsAndATextInOrder) {
  LanguageOptions options;
  options.out = "model";
  options.train = "text";
  options.model.model = LanguageModelKind::transformer_xl;
  options.apply_preset();
  EXPECT_EQ(options.model.stack.positions, models::Positions::distances);
  EXPECT_EQ(options.window_length(), options.model.stack.longest);
  EXPECT_NO_THROW(options.check());
  options.windows = text::Windows::random;
  EXPECT_THROW(options.check(), UsageError);
  options.model.memory = 0;
  EXPECT_NO_THROW(options.check());
}

TEST(LanguageOptions, AttentionOfTheirOwnGoesToEitherModel) {
  LanguageModelOptions options;
  options.hidden = options.embedding = 8;
  Random random(1);
  const auto count = [&] {
    return nn::parameter_count(nn::parameters(*make_language_model(options, 20, random)));
  };
  const std::int64_t plain = count();
  options.attention = "additive";
  EXPECT_GT(count(), plain);
  options.attention = "no_such";
  EXPECT_THROW(count(), UsageError);
}

}  // namespace
}  // namespace heed::pipeline
