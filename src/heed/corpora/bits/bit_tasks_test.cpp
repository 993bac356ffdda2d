// SPDX-License-Identifier: Apache-2.0
// Tasks of bits: steps written out by hand, and laws of what is drawn.
#include "heed/corpora/bits/bit_tasks.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/corpora/bits/bit_files.h"

namespace heed::corpora {
namespace {

constexpr std::int8_t kNone = kUnasked;

BitSequence posed_line(BitTask task, std::int64_t bits, const char* line) {
  BitForm form = usual_form(task);
  form.bits = bits;
  return posed(form, parse_bit_line(line, "line"), "line");
}

TEST(BitTasks, CopyShowsVectorsThenAMarkThenAsksForThem) {
  const BitSequence made = posed_line(BitTask::copy, 2, "10 11");
  EXPECT_EQ(made.steps, 5);
  EXPECT_EQ(made.inputs, (std::vector<float>{1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(made.targets,
            (std::vector<std::int8_t>{kNone, kNone, kNone, kNone, kNone, kNone, 1, 0, 1, 1}));
}

// The number 2 of 1 to 10 is (2 - 5.5) / sqrt(8.25) = -1.2185.
TEST(BitTasks, RepeatCopyAsksAsOftenAsItsScaledNumberSaysAndForAnEnd) {
  const BitSequence made = posed_line(BitTask::repeat_copy, 1, "1:2");
  EXPECT_EQ(made.steps, 5);
  EXPECT_FLOAT_EQ(made.inputs[3 + 1], 1);
  EXPECT_NEAR(made.inputs[3 + 2], -1.2185, 1e-4);
  EXPECT_EQ(made.targets, (std::vector<std::int8_t>{kNone, kNone, kNone, kNone, 1, 0, 1, 0, 0, 1}));
}

TEST(BitTasks, RecallAsksForTheItemAfterTheOneThatIsShownAgain) {
  const BitSequence made = posed_line(BitTask::recall, 1, "1 0 1  0 0 1  1 1 1  0 0 1");
  EXPECT_EQ(made.steps, 4 * 3 + 5 + 3);
  const std::vector<std::int8_t> asked(made.targets.end() - 3, made.targets.end());
  EXPECT_EQ(asked, (std::vector<std::int8_t>{1, 1, 1}));
  EXPECT_EQ(std::ranges::count(made.targets, kNone), made.steps - 3);
}

TEST(BitTasks, NgramsAskForEachBitAfterTheFirstFive) {
  const BitSequence made = posed_line(BitTask::ngrams, 1, "1011001");
  EXPECT_EQ(made.inputs, (std::vector<float>{1, 0, 1, 1, 0, 0}));
  EXPECT_EQ(made.targets, (std::vector<std::int8_t>{kNone, kNone, kNone, kNone, 0, 1}));
}

TEST(BitTasks, SortAsksForTheHighestFourFifthsInFallingOrder) {
  const BitSequence made = posed_line(BitTask::sort, 2, "00:-0.9 01:0.2 10:0.9 11:-0.5 01:0.1");
  EXPECT_EQ(made.steps, 5 + 1 + 4);
  const std::vector<std::int8_t> asked(made.targets.end() - 8, made.targets.end());
  EXPECT_EQ(asked, (std::vector<std::int8_t>{1, 0, 0, 1, 0, 1, 1, 1}));
}

TEST(BitTasks, DrawnSequencesAreAFunctionOfSeedAndBatch) {
  for (const BitTask task :
       {BitTask::copy, BitTask::repeat_copy, BitTask::recall, BitTask::ngrams, BitTask::sort}) {
    const BitForm form = usual_form(task);
    const auto drawn = [&](std::uint64_t seed, std::uint64_t batch) {
      return draw_bits({.form = form,
                        .count = 3,
                        .length = form.longest,
                        .repeats = 2,
                        .seed = seed,
                        .batch = batch});
    };
    EXPECT_EQ(drawn(1, 5), drawn(1, 5));
    EXPECT_NE(drawn(1, 5), drawn(1, 6));
    EXPECT_NE(drawn(1, 5), drawn(2, 5));
    EXPECT_NE(drawn(1, 5)[0], drawn(1, 5)[1]);
  }
}

// 127.7 ± .6 bits over 195 predicted (known answer of the Bayesian predictor).
TEST(BitTasks, TheBestPredictorOfNgramsPaysAbout128Bits) {
  double sum = 0;
  const auto all = draw_bits({.form = usual_form(BitTask::ngrams), .count = 400, .length = 200});
  for (const BitSequence& one : all) sum += best_ngram_cost(one);
  EXPECT_NEAR(sum / 400, 127.7, 2.5);
}

TEST(BitTasks, RefusesWhatIsNoInstance) {
  const auto refused = [](BitTask task, std::int64_t bits, const char* line) {
    return test::message_of<UsageError>([&] { posed_line(task, bits, line); });
  };
  EXPECT_EQ(refused(BitTask::copy, 2, "10 111"),
            "line: vector 2 has 3 bits; the task has vectors of 2");
  EXPECT_EQ(refused(BitTask::repeat_copy, 2, "10 11"),
            "line: no number of repeats; the last vector says how often, from 1 to 1000, as 1011:3 "
            "does");
  EXPECT_EQ(refused(BitTask::recall, 1, "1 0 1 0 0 0 1 1 0"),
            "line: the last 3 vectors are none of the items that another follows");
  EXPECT_EQ(refused(BitTask::ngrams, 1, "10101"),
            "line: 5 bits; the first 5 are only looked at, so give more");
  EXPECT_EQ(refused(BitTask::sort, 2, "10:0.5 11"),
            "line: vector 2 has no priority from -1 to 1; write it as 1011:0.5");
}

}  // namespace
}  // namespace heed::corpora
