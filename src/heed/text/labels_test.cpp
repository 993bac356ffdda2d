// SPDX-License-Identifier: Apache-2.0
#include "heed/text/labels.h"

#include <gtest/gtest.h>

#include "heed/text/testing.h"

namespace heed::text {
namespace {

using test::holds;
using test::message_of;

using Names = std::vector<std::string>;

Labels two_aspects() {
  Labels labels(Names{"location", "service"});
  labels.add(Names{"good", "bad"});
  labels.add(Names{"bad", "bad"});
  labels.add(Names{"good", "fair"});
  return labels;
}

TEST(Labels, CountTheClassesOfEachAspectInTheOrderOfTheirNames) {
  const Labels labels = two_aspects();
  ASSERT_EQ(labels.aspects().size(), 2u);
  EXPECT_EQ(labels.aspects()[0], (Aspect{"location", {"bad", "good"}, {1, 2}}));
  EXPECT_EQ(labels.aspects()[1], (Aspect{"service", {"bad", "fair"}, {2, 1}}));
  EXPECT_EQ(labels.classes_of(Names{"good", "fair"}, "f:1"), (std::vector<std::int32_t>{1, 1}));
}

TEST(Labels, NameThePlaceAndTheNearestLabelForOneThatTrainingHasNot) {
  EXPECT_EQ(message_of<DataError>([] {
              two_aspects().classes_of(Names{"goood", "bad"}, "v:7");
            }),
            "v:7: no training text has the label \"goood\" (did you mean \"good\"?); those of "
            "\"location\" are bad, good");
}

TEST(Labels, RefuseASingleClass) {
  Labels labels(Names{"label"});
  EXPECT_EQ(message_of<DataError>([&] { labels.check("train.tsv"); }),
            "train.tsv: no labelled text");
  labels.add(Names{"yes"});
  EXPECT_TRUE(holds(message_of<DataError>([&] { labels.check("train.tsv"); }),
                    "train.tsv: every text has the label \"yes\""));
  labels.add(Names{"no"});
  EXPECT_NO_THROW(labels.check("train.tsv"));
}

TEST(Labels, RefuseAspectsWithoutANameOrOfOneName) {
  EXPECT_THROW(Labels(Names{}), UsageError);
  EXPECT_THROW(Labels(Names{""}), UsageError);
  EXPECT_TRUE(holds(message_of<UsageError>([] { Labels(Names{"a", "a"}); }), "two aspects"));
}

TEST(Labels, ComeBackFromTheirFile) {
  const test::TemporaryFolder folder;
  two_aspects().save(folder / "labels.tsv");
  EXPECT_EQ(test::get(folder / "labels.tsv"),
            "location\tbad\t1\nlocation\tgood\t2\nservice\tbad\t2\nservice\tfair\t1\n");
  EXPECT_EQ(Labels::load(folder / "labels.tsv"), two_aspects());
}

TEST(Labels, NameTheLineOfADamagedFile) {
  const test::TemporaryFolder folder;
  const auto message = [&](std::string_view bytes) {
    test::put(folder / "labels.tsv", bytes);
    return message_of<DataError>([&] { Labels::load(folder / "labels.tsv"); });
  };
  EXPECT_TRUE(holds(message("a\tx\t1\na\ty\n"), "labels.tsv:2: \"a\ty\"; each line must be"));
  EXPECT_TRUE(holds(message("a\tx\t1\na\ty\tmany\n"), "labels.tsv:2: count is \"many\""));
  EXPECT_TRUE(holds(message("a\tx\t1\na\tx\t2\n"), "labels.tsv:2: a class named twice"));
  EXPECT_TRUE(holds(message("a\tx\t1\na\ty\t1\nb\tx\t1\nb\ty\t1\na\tz\t1\n"),
                    "labels.tsv:5: the classes of \"a\" are not together"));
  EXPECT_TRUE(holds(message("a\tx\t1\n"), "every text has the label"));
  EXPECT_TRUE(holds(message(""), "no classes"));
}

}  // namespace
}  // namespace heed::text
