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
