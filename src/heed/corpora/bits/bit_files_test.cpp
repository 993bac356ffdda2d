// SPDX-License-Identifier: Apache-2.0
// Files of bits: words, lines, sequences, and what a file that is none gets.
#include "heed/corpora/bits/bit_files.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::corpora {
namespace {

TEST(BitFiles, LinesOfSeveralWordsAreSequencesAndLinesOfOneAreSteps) {
  const std::vector<BitLines> all = parse_bit_lines("10 01\n11\n00\n\n01\n", "f");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(written_bits(all[0].vectors), "10 01");
  EXPECT_EQ(written_bits(all[1].vectors), "11 00");
  EXPECT_EQ(all[1].where, "f:2");
  EXPECT_EQ(written_bits(all[2].vectors), "01");
}

TEST(BitFiles, WordsHaveNumbersAndTargets) {
  const std::vector<BitVector> all = parse_bit_line("10:0.5 01/110", "f");
  EXPECT_EQ(all[0].number, .5);
  EXPECT_EQ(all[1].target, (std::vector<std::int8_t>{1, 1, 0}));
  EXPECT_EQ(written_bits(all), "10:0.5 01/110");
}

TEST(BitFiles, TheFormOfAFileIsThatOfItsSteps) {
  const BitForm form = form_of(parse_bit_lines("10 01/110\n11\n01/000\n10\n", "f"), "f");
  EXPECT_EQ(form.task, BitTask::given);
  EXPECT_EQ(form.inputs(), 2);
  EXPECT_EQ(form.outputs(), 3);
  EXPECT_EQ(form.shortest, 2);
  EXPECT_EQ(form.longest, 3);
}

TEST(BitFiles, RefusesWithThePlaceAndTheRemedy) {
  const auto refused = [](const char* text) {
    return test::message_of<DataError>([&] { form_of(parse_bit_lines(text, "f"), "f"); });
  };
  EXPECT_EQ(refused("10 01\n12 01\n"),
            "f:2: \"12\" is no vector of bits; write 0 and 1 alone, a number after a colon "
            "(1011:0.5), what is asked for after a slash (1011/01)");
  EXPECT_EQ(refused("\n\n"), "f: no bits; write vectors such as 1011");
  EXPECT_EQ(refused("10:x 01"), "f:1: \"x\" after a colon is no number");
  EXPECT_EQ(refused("10 01/"), "f:1: a vector without bits; write one as 1011");
  EXPECT_EQ(refused("10 01/1\n10 011/1\n"),
            "f:2: step 2 of the sequence has 3 bits and asks for 1; those before had 2 and asked "
            "for 1");
  EXPECT_EQ(refused("10 01\n"),
            "f: no step asks for anything; write what it asks for after a slash: 1011/01");
}

}  // namespace
}  // namespace heed::corpora
