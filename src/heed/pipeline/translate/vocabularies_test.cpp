// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/translate/vocabularies.h"

#include <gtest/gtest.h>

#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/pipeline/testing.h"

namespace heed::pipeline {
namespace {

TEST(Vocabularies, AreOneWhenSharedAndComeBackFromAFolder) {
  for (const bool shared : {false, true}) {
    test::TemporaryFolder place;
    TranslationOptions options;
    testing::set_small(options, place.path());
    options.shared_vocabulary = shared;
    text::PairReader pairs({.source = options.train_source, .target = options.train_target});
    const Vocabularies made = make_vocabularies(options, pairs);
    EXPECT_EQ(made.source == made.target, shared);
    EXPECT_EQ(made.sizes().source, 4 + (shared ? 12 : 6));
    const ModelFolder folder{place / "model"};
    std::filesystem::create_directory(folder.path);
    save_vocabularies(made, folder);
    const Vocabularies loaded = load_vocabularies(folder, options);
    EXPECT_EQ(loaded.target->size(), made.target->size());
    EXPECT_EQ(loaded.target->encode("A B").tokens, made.target->encode("A B").tokens);
  }
}

TEST(Vocabularies, LearnFromASampleDrawnByTheSeed) {
  test::TemporaryFolder place;
  TranslationOptions options;
  testing::set_small(options, place.path());
  std::string source;
  for (int i = 0; i < 500; ++i) source += fmt::format("w{}\n", i);
  write_atomically(options.train_source, source);
  write_atomically(options.train_target, source);
  options.vocabulary.sample = 50;
  const auto pieces = [&](std::uint64_t seed) {
    options.trainer.seed = seed;
    text::PairReader pairs({.source = options.train_source, .target = options.train_target});
    const Vocabularies made = make_vocabularies(options, pairs);
    std::string all;
    for (text::Token token = 0; token < made.source->size(); ++token) {
      all += made.source->piece(token) + " ";
    }
    EXPECT_EQ(made.source->size(), 54);
    return all;
  };
  EXPECT_EQ(pieces(1), pieces(1));
  EXPECT_NE(pieces(1), pieces(2));
}

TEST(Vocabularies, GivenAsFilesAreTaken) {
  test::TemporaryFolder place;
  TranslationOptions options;
  testing::set_small(options, place.path());
  const std::vector<std::string> lines = {"x y z"};
  text::train_tokeniser({.kind = text::TokeniserKind::words}, lines)->save(place / "given");
  options.source_vocabulary = (place / "given").string();
  text::PairReader pairs({.source = options.train_source, .target = options.train_target});
  const Vocabularies made = make_vocabularies(options, pairs);
  EXPECT_EQ(made.sizes().source, 7);
  EXPECT_EQ(made.sizes().target, 10);
}

}  // namespace
}  // namespace heed::pipeline
