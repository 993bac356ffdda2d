// SPDX-License-Identifier: Apache-2.0
// Tests of pairs of lines, and of counted lines.
#include "heed/text/pairs.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/text/counted_lines.h"
#include "heed/text/testing.h"

namespace heed::text {
namespace {

using test::holds;
using test::message_of;
using test::put;
using test::TemporaryFolder;

std::vector<LinePair> all_pairs(PairReader& reader) {
  std::vector<LinePair> pairs;
  for (LinePair pair; reader.next(pair);) pairs.push_back(pair);
  return pairs;
}

std::string reading(const PairFiles& files) {
  return message_of<DataError>([&] {
    PairReader reader(files);
    all_pairs(reader);
  });
}

TEST(CountedLines, ShowTheFirstFew) {
  CountedLines lines;
  EXPECT_EQ(lines.to_string(), "0");
  lines.add(4);
  EXPECT_EQ(lines.to_string(), "1 (line 4)");
  for (const std::uint64_t line : {9u, 12u, 13u, 20u}) lines.add(line);
  EXPECT_EQ(lines.to_string(), "5 (lines 4, 9, 12, 13, 20)");
  lines.add(21);
  EXPECT_EQ(lines.to_string(), "6 (lines 4, 9, 12, 13, 20, ...)");
}

TEST(PairReader, TakesNumberedLinesUpToTheNextOneAsOneSource) {
  const TemporaryFolder folder;
  put(folder / "stories", "1 a\n2 b\tc\n\n1 d\n10 e\n1 f\n");
  const PairFiles files{.source = folder / "stories", .columns = Columns::source, .numbered = true};
  PairReader reader(files);
  LinePair pair;
  ASSERT_TRUE(reader.next(pair));
  EXPECT_EQ(pair, (LinePair{"1 a\n2 b\tc", "", 1}));
  const PairPosition second = reader.position();
  EXPECT_EQ(all_pairs(reader), (std::vector<LinePair>{{"1 d\n10 e", "", 4}, {"1 f", "", 6}}));
  EXPECT_FALSE(reader.more());
  PairReader again(files);
  again.seek(second);
  EXPECT_TRUE(again.more());
  EXPECT_EQ(all_pairs(again).size(), 2u);
}

TEST(PairReader, GivesTwoFilesLineByLineAndCountsEmptyLines) {
  const TemporaryFolder folder;
  put(folder / "en", "one\n\nthree\nfour\n \t\n");
  put(folder / "fr", "un\ndeux\n\nquatre\n\u00A0\n");
  PairReader reader({.source = folder / "en", .target = folder / "fr"});
  EXPECT_EQ(all_pairs(reader), (std::vector<LinePair>{{"one", "un", 1}, {"four", "quatre", 4}}));
  EXPECT_EQ(reader.empty().to_string(), "3 (lines 2, 3, 5)");
}

TEST(PairReader, TakesLinesEmptyOnBothSidesAsTheEndsOfDocuments) {
  const TemporaryFolder folder;
  put(folder / "en", "one\ntwo\n\n\nthree\nfour\nfive\n");
  put(folder / "fr", "un\ndeux\n\n\ntrois\n\ncinq\n");
  PairReader reader({.source = folder / "en", .target = folder / "fr", .documents = true});
  EXPECT_EQ(all_pairs(reader), (std::vector<LinePair>{{"one", "un", 1, 1},
                                                      {"two", "deux", 2, 1},
                                                      {"three", "trois", 5, 5},
                                                      {"five", "cinq", 7, 5}}));
  EXPECT_EQ(reader.empty().to_string(), "1 (line 6)");
}

TEST(PairReader, CutsTsvAtItsFirstTwoTabs) {
  const TemporaryFolder folder;
  put(folder / "tsv", "one\tun\nfour\tquatre\tsome licence\n\trien\n");
  PairReader reader({.source = folder / "tsv"});
  EXPECT_EQ(all_pairs(reader), (std::vector<LinePair>{{"one", "un", 1}, {"four", "quatre", 2}}));
  EXPECT_EQ(reader.empty().to_string(), "1 (line 3)");
}

TEST(PairReader, SaysWhichLineHasNoPartner) {
  const TemporaryFolder folder;
  put(folder / "en", "one\ntwo\nthree\nfour\n");
  put(folder / "fr", "un\ndeux\n");
  const std::string message = reading({.source = folder / "en", .target = folder / "fr"});
  EXPECT_TRUE(holds(message, "fr has 2 lines"));
  EXPECT_TRUE(holds(message, "en has 4: line 3 is the first without a partner"));
  EXPECT_TRUE(holds(reading({.source = folder / "fr", .target = folder / "en"}), "en has 4"));
}

TEST(PairReader, SaysWhichLineHasNoTab) {
  const TemporaryFolder folder;
  put(folder / "tsv", "one\tun\ntwo deux\n");
  EXPECT_TRUE(holds(reading({.source = folder / "tsv"}),
                    "tsv:2: there is no tab in \"two deux\"; each line must be source<TAB>target"));
}

TEST(PairReader, RefusesEmptyFiles) {
  const TemporaryFolder folder;
  put(folder / "en", "");
  put(folder / "fr", "");
  EXPECT_TRUE(
      holds(reading({.source = folder / "en", .target = folder / "fr"}), "no line of text"));
  EXPECT_TRUE(holds(reading({.source = folder / "en"}), "at least one pair of lines is needed"));
  EXPECT_TRUE(holds(reading({.source = folder / "en", .columns = Columns::source}),
                    "no line of text; at least one line is needed"));
  EXPECT_TRUE(holds(message_of<UsageError>([] { PairReader({.source = "-", .target = "-"}); }),
                    "cannot both be standard input"));
}

TEST(PairReader, SaysWhyNothingIsLeft) {
  const TemporaryFolder folder;
  const auto reason = [&](std::string_view text, Columns columns, bool keep) -> std::string {
    put(folder / "f", text);
    PairReader reader({.source = folder / "f", .columns = columns},
                      [keep](std::uint64_t) { return keep; });
    EXPECT_TRUE(all_pairs(reader).empty());
    return reader.nothing_left().what();
  };
  EXPECT_TRUE(holds(reason("\n\n", Columns::source, true), "f: no line with text; at least one"));
  EXPECT_TRUE(holds(reason("a\t\n", Columns::source_target, true), "no pair with text on both"));
  EXPECT_TRUE(holds(reason("a\n\n", Columns::source, false),
                    "f: 1 line with text, all held out for validation, and none is left to learn "
                    "from; lower --valid-fraction"));
  EXPECT_TRUE(holds(reason("a\tb\nc\td\n", Columns::source_target, false), "f: 2 pairs with text"));
  EXPECT_TRUE(holds(reason("\n", Columns::source, false), "f: no line with text"));
}

TEST(PairReader, GoesOnFromAnyPosition) {
  const TemporaryFolder folder;
  put(folder / "en", "one\ntwo\n\nfour\n");
  put(folder / "fr", "un\ndeux\ntrois\nquatre");
  const PairFiles files{.source = folder / "en", .target = folder / "fr"};
  PairReader whole(files);
  const std::vector<LinePair> all = all_pairs(whole);
  PairReader first(files);
  for (std::size_t taken = 0; taken <= all.size(); ++taken) {
    PairReader second(files);
    second.seek(first.position());
    EXPECT_EQ(all_pairs(second), std::vector<LinePair>(all.begin() + taken, all.end()));
    LinePair pair;
    first.next(pair);
  }
  PairPosition crooked = first.position();
  crooked.target = {};
  EXPECT_TRUE(holds(message_of<DataError>([&] { first.seek(crooked); }), "lines 4 and 0"));
}

TEST(CountPairs, ReadsAllAndGoesBack) {
  const TemporaryFolder folder;
  put(folder / "tsv", "one\tun\n\t\nthree\ttrois\n");
  PairReader reader({.source = folder / "tsv"});
  EXPECT_EQ(count_pairs(reader), 2u);
  EXPECT_EQ(all_pairs(reader).size(), 2u);
}

TEST(HoldOut, SplitsACorpusIntoTwoPartsThatDoNotMeet) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "a\tb\n";
  put(folder / "tsv", text);
  const HoldOut out{.fraction = 0.1, .seed = 3};
  PairReader training({.source = folder / "tsv"}, [&](auto line) { return !out.holds(line); });
  PairReader validation({.source = folder / "tsv"}, [&](auto line) { return out.holds(line); });
  const std::size_t held = all_pairs(validation).size();
  EXPECT_EQ(all_pairs(training).size() + held, 2000u);
  EXPECT_NEAR(static_cast<double>(held), 200, 50);  // 3.7 deviations
  const HoldOut other{.fraction = 0.1, .seed = 4};
  int same = 0;
  for (std::uint64_t line = 1; line <= 2000; ++line) same += out.holds(line) && other.holds(line);
  EXPECT_LT(same, 60);  // 20 by chance
}

TEST(HoldOut, HoldsEveryLineOutInOneFold) {
  for (std::uint64_t line = 1; line <= 500; ++line) {
    int folds = 0;
    for (std::int64_t fold = 0; fold < 5; ++fold) {
      folds += HoldOut{.fraction = 0.2, .seed = 3, .fold = fold}.holds(line);
    }
    EXPECT_EQ(folds, 1) << line;
  }
}

TEST(PairReader, GivesRowsOfTablesWithTheirFirstLineAndResumesBetweenThem) {
  const TemporaryFolder folder;
  put(folder / "t", "label,text\na,\"1\n2\"\nb,3\n");
  PairReader reader(
      {.source = folder / "t", .columns = Columns::source, .table = TableForm{}, .header = true});
  LinePair row;
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row.source, "a,\"1\n2\"");
  EXPECT_EQ(row.line, 2u);
  const PairPosition place = reader.position();
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row.source, "b,3");
  EXPECT_EQ(row.line, 4u);
  EXPECT_FALSE(reader.next(row));
  reader.seek(place);
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row.line, 4u);
  reader.seek({});
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row.line, 2u);
}

}  // namespace
}  // namespace heed::text
