// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/dates.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "heed/base/testing.h"
#include "heed/base/text.h"

namespace heed::corpora {
namespace {

TEST(Dates, AreWrittenInManyForms) {
  const Date date{1998, 5, 3};  // a Sunday
  const std::vector<std::string> expected = {"3rd of May 1998",
                                             "3 May 1998",
                                             "May 3, 1998",
                                             "Sunday, 3 May 1998",
                                             "Sunday, May 3rd, 1998",
                                             "3 May 98",
                                             "3-May-1998",
                                             "03.05.1998",
                                             "3.5.98",
                                             "05/03/1998",
                                             "05/03/98",
                                             "the 3rd of may, 1998",
                                             "May 3rd in 1998",
                                             "1998 may 3"};
  ASSERT_EQ(expected.size(), static_cast<std::size_t>(kDateForms));
  for (int form = 0; form < kDateForms; ++form) {
    EXPECT_EQ(write_date(date, form), expected[static_cast<std::size_t>(form)]);
  }
  EXPECT_EQ(write_iso_date(date), "1998-05-03");
}

TEST(Dates, InOrderKeepTheOrderOfTheText) {
  const Date date{1998, 5, 3};
  EXPECT_EQ(write_in_order(date, 0), "03 05 1998");
  EXPECT_EQ(write_in_order(date, 5), "03 05 1998") << "3 May 98";
  EXPECT_EQ(write_in_order(date, 9), "05 03 1998") << "05/03/1998";
  EXPECT_EQ(write_in_order(date, 13), "1998 05 03") << "1998 may 3";
}

TEST(Dates, InOrderAreAlignedWithoutGoingBack) {
  Random random(2);
  std::set<std::size_t> lengths;
  for (int i = 0; i < 500; ++i) {
    const Example example = draw_ordered_date(random);
    const auto words = split(example.source, ' ');
    lengths.insert(words.size());
    std::vector<int> numbers(3, 0);
    int last = 0;
    for (const text::Link& link : example.alignment) {
      EXPECT_GE(link.target, last) << example.source;
      last = link.target;
      numbers[static_cast<std::size_t>(link.target)] += link.sure ? 1 : 0;
      const std::string_view word = words[static_cast<std::size_t>(link.source)];
      EXPECT_EQ(link.sure, word != "of" && word != "the" && word != "in" && !word.ends_with("day,"))
          << example.source;
    }
    EXPECT_EQ(numbers, (std::vector<int>{1, 1, 1})) << example.source;
  }
  EXPECT_TRUE(lengths.contains(1) && lengths.contains(5));
}

TEST(Dates, KnowOrdinalsAndWeekdays) {
  EXPECT_EQ(write_date({2001, 9, 11}, 4), "Tuesday, September 11th, 2001");
  EXPECT_EQ(write_date({2024, 2, 29}, 4), "Thursday, February 29th, 2024");
  EXPECT_EQ(write_date({1970, 1, 1}, 4), "Thursday, January 1st, 1970");
  EXPECT_EQ(write_date({2000, 2, 29}, 4), "Tuesday, February 29th, 2000");
  EXPECT_EQ(write_date({2069, 12, 22}, 0), "22nd of December 2069");
  EXPECT_EQ(write_date({2000, 10, 13}, 0), "13th of October 2000");
}

TEST(Dates, NeverMeanTwoDays) {
  Random random(1);
  std::map<std::string, std::string> meaning;
  for (int i = 0; i < 100'000; ++i) {
    const Example example = draw_date(random);
    const auto [known, added] = meaning.emplace(example.source, example.target);
    ASSERT_EQ(known->second, example.target) << example.source;
  }
  EXPECT_GT(meaning.size(), 80'000u);
}

TEST(Dates, AreSurelyLinkedByTheWordsThatSayThem) {
  const std::set<std::string_view> fillers = {"of", "the", "in"};
  Random random(2);
  for (int i = 0; i < 500; ++i) {
    const Example example = draw_date(random);
    const auto words = split(example.source, ' ');
    ASSERT_EQ(example.alignment.size(), words.size()) << example.source;
    for (std::size_t w = 0; w < words.size(); ++w) {
      const bool says = !fillers.contains(words[w]) && words[w].find("day") == words[w].npos;
      EXPECT_EQ(example.alignment[w].sure, says) << words[w] << " in " << example.source;
    }
  }
}

TEST(Dates, RefuseDaysThatAreNone) {
  EXPECT_EQ(test::message_of<UsageError>([] {
              write_date({2023, 2, 29}, 0);
            }),
            "date: 2023-02-29 is not a day from 1970 to 2069");
  EXPECT_THROW(write_date({2100, 1, 1}, 0), UsageError);
  EXPECT_THROW(write_date({2000, 1, 1}, kDateForms), UsageError);
}

}  // namespace
}  // namespace heed::corpora
