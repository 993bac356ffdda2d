// SPDX-License-Identifier: Apache-2.0
#include "heed/metrics/bleu.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstdlib>

#include "heed/base/testing.h"
#include "heed/base/text.h"

namespace heed::metrics {
namespace {

using Lines = std::vector<std::string>;

Bleu bleu(const Lines& hypotheses, const std::vector<Lines>& references,
          const BleuOptions& options = {}) {
  return corpus_bleu(hypotheses, references, options);
}

TEST(Bleu, IsOneHundredForTheReferenceItself) {
  const Lines lines = {"The cat sits on the mat.", "It rains."};
  EXPECT_DOUBLE_EQ(bleu(lines, {lines}).score, 100);
}

TEST(Bleu, CountsClippedMatchesOfOneToFourWords) {
  // "the" occurs twice in the reference, so two of three match; of the bigrams "the cat", "on the"
  // and "the mat"; no more than "on the mat" of the trigrams.
  const Bleu found = bleu({"the cat the on the mat"}, {{"the cat sat on the mat"}});
  EXPECT_EQ(found.statistics.matches, (std::array<std::int64_t, 4>{5, 3, 1, 0}));
  EXPECT_EQ(found.statistics.ngrams, (std::array<std::int64_t, 4>{6, 5, 4, 3}));
  EXPECT_DOUBLE_EQ(found.brevity_penalty, 1);
  const double product = (5.0 / 6) * (3.0 / 5) * (1.0 / 4) * (0.5 / 3);  // 0 of 3 smoothed to 1/2
  EXPECT_NEAR(found.score, 100 * std::pow(product, 0.25), 1e-9);
}

TEST(Bleu, HalvesTheSmoothingWithEveryOrderWithoutMatch) {
  const Bleu found = bleu({"a b x c d"}, {{"a y b c z d"}});  // all words but x, no two in a row
  EXPECT_EQ(found.statistics.matches, (std::array<std::int64_t, 4>{4, 0, 0, 0}));
  EXPECT_DOUBLE_EQ(found.precisions[1], 100 * 0.5 / 4);
  EXPECT_DOUBLE_EQ(found.precisions[2], 100 * 0.25 / 3);
  EXPECT_DOUBLE_EQ(found.precisions[3], 100 * 0.125 / 2);
  EXPECT_DOUBLE_EQ(found.brevity_penalty, std::exp(1 - 6.0 / 5));
}

TEST(Bleu, IsZeroWithoutAnyMatchAndForNothing) {
  EXPECT_EQ(bleu({"a b c d"}, {{"e f g h"}}).score, 0);
  EXPECT_EQ(bleu({""}, {{"e f g h"}}).score, 0);
  EXPECT_EQ(bleu({""}, {{"e"}}).brevity_penalty, 0);
  EXPECT_EQ(bleu({"a b"}, {{"a b"}}).score, 0) << "a corpus without any 4-gram";
}

TEST(Bleu, TakesTheNearestReferenceForTheLengthAndAllForTheMatches) {
  const Bleu found = bleu({"a b c d"}, {{"a b c d e f"}, {"c d e"}, {"x y z u v"}});
  EXPECT_EQ(found.statistics.reference_tokens, 3) << "3 and 5 are as near: the shorter";
  EXPECT_EQ(found.statistics.matches, (std::array<std::int64_t, 4>{4, 3, 2, 1}));
  EXPECT_DOUBLE_EQ(found.score, 100);
}

TEST(Bleu, CountsAWordAsOftenAsOneReferenceHasIt) {
  const Bleu found = bleu({"a a a a"}, {{"a a b c"}, {"a d e f"}});  // twice, not three times
  EXPECT_EQ(found.statistics.matches[0], 2);
}

TEST(Bleu, MayIgnoreCaseAndCutDifferently) {
  const Lines hypothesis = {"THE Cat sits on it."};
  const Lines reference = {"the cat sits on it ."};
  EXPECT_DOUBLE_EQ(bleu(hypothesis, {reference}, {.lower_case = true}).score, 100);
  EXPECT_EQ(bleu(hypothesis, {reference}).statistics.matches[0], 4);
  EXPECT_EQ(bleu(hypothesis, {reference}, {.tokens = BleuTokens::none}).statistics.matches[0], 2);
  EXPECT_EQ(bleu({"où"}, {{"ou"}}, {.tokens = BleuTokens::characters}).statistics.ngrams[0], 2);
}

TEST(Bleu, OfASentenceLeavesOutTheOrdersItIsTooShortFor) {
  EXPECT_NEAR(sentence_bleu("a b", Lines{"a b"}).score, 100, 1e-9);
  EXPECT_NEAR(sentence_bleu("a", Lines{"a b"}).score, 100 * std::exp(-1), 1e-9);
  EXPECT_EQ(sentence_bleu("", Lines{"a"}).score, 0);
}

TEST(Bleu, WritesItselfAndItsSignature) {
  EXPECT_EQ(bleu({"the cat the on the mat"}, {{"the cat sat on the mat"}}).verbose(),
            "BLEU = 37.99 83.3/60.0/25.0/16.7 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)");
  EXPECT_EQ(bleu_signature(1),
            "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:heed-" HEED_VERSION);
  EXPECT_TRUE(bleu_signature(3, {.tokens = BleuTokens::characters, .lower_case = true})
                  .starts_with("nrefs:3|case:lc|eff:no|tok:char|smooth:exp|version:"));
}

TEST(Bleu, RefusesUnequalCounts) {
  EXPECT_EQ(test::message_of<UsageError>([] {
              bleu({"a", "b"}, {{"a"}});
            }),
            "BLEU: 2 hypotheses, 1 references; it takes one for each");
  EXPECT_THROW(bleu({"a"}, {}), UsageError);
}

Lines lines_of(const std::filesystem::path& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  std::string text;
  std::array<char, 65536> block{};
  for (int got = 0; (got = gzread(file, block.data(), block.size())) > 0;) {
    text.append(block.data(), static_cast<std::size_t>(got));
  }
  gzclose(file);
  Lines lines;
  for (const std::string_view line : split(text, '\n')) lines.emplace_back(line);
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

TEST(Bleu, EqualsSacrebleuOnTwoSystemsOfWmt17) {
  const char* const data = std::getenv("HEED_DATA");
  if (data == nullptr) GTEST_SKIP() << "HEED_DATA does not name the folder that holds bleu/";
  const std::filesystem::path folder = std::filesystem::path(data) / "bleu";
  const Lines reference = lines_of(folder / "reference.de.txt.gz");
  const std::string table = test::get(folder / "expected_bleu.tsv");
  int systems = 0;
  for (const std::string_view row : split(table, '\n')) {
    if (row.empty()) continue;
    const auto columns = split(row, '\t');
    ++systems;
    const Lines system = lines_of(folder / (std::string(columns[0]) + ".txt.gz"));
    EXPECT_EQ(fmt::format("{:.2f}", bleu(system, {reference}).score), columns[1]) << columns[0];
  }
  EXPECT_EQ(systems, 2);
}

}  // namespace
}  // namespace heed::metrics
