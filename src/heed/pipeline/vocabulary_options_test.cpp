// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/vocabulary_options.h"

#include <gtest/gtest.h>

#include "heed/base/file.h"
#include "heed/base/testing.h"

namespace heed::pipeline {
namespace {

TokeniserPointer words_of(const std::string& line) {
  const std::vector<std::string> lines = {line};
  return text::train_tokeniser({.kind = text::TokeniserKind::words}, lines);
}

TEST(FindTokeniser, LearnsAndPrefersAFileThatIsGiven) {
  test::TemporaryFolder place;
  RunOptions run;
  run.out = (place / "model").string();
  OneVocabularyOptions options;
  EXPECT_EQ(find_tokeniser(run, options, [] { return words_of("a b c"); })->size(), 7);
  EXPECT_FALSE(std::filesystem::exists(run.out)) << "nothing is written before training begins";
  words_of("x")->save(place / "given");
  options.given = (place / "given").string();
  EXPECT_EQ(find_tokeniser(run, options, [] { return words_of("a b c"); })->size(), 5);
}

TEST(VocabularyOptions, BecomeThoseOfATokeniser) {
  Options list;
  OneVocabularyOptions options;
  options.declare(list);
  list.read_toml_text("tokeniser = \"characters\"\nvocabulary-size = 99\nleast-count = 3\n",
                      "test");
  const text::TokeniserOptions wish = options.to_options(2);
  EXPECT_EQ(wish.kind, text::TokeniserKind::characters);
  EXPECT_EQ(wish.size, 99);
  EXPECT_EQ(wish.least_count, 3);
  EXPECT_EQ(wish.threads, 2);
}

}  // namespace
}  // namespace heed::pipeline
