// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/language/stop_texts.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::pipeline {
namespace {

TEST(StopTexts, AreFoundWhereTheFirstOfThemBegins) {
  const StopTexts stops({"end", "END!"});
  EXPECT_EQ(stops.find("the end", 0), 4u);
  EXPECT_EQ(stops.find("END! end", 0), 0u);
  EXPECT_EQ(stops.find("en", 0), std::string_view::npos);
  EXPECT_EQ(StopTexts({}).find("anything", 0), std::string_view::npos);
}

TEST(StopTexts, MayBeginInWhatIsKnownAlready) {
  const StopTexts stops({"end"});
  EXPECT_EQ(stops.find("the end", 6), 4u);
  EXPECT_EQ(stops.find("the end", 5), 4u);
  // Without a stop in what is known, every cut of a text finds the same.
  const std::string text = "eenended";
  for (std::size_t known = 0; known <= 4; ++known) EXPECT_EQ(stops.find(text, known), 3u) << known;
}

TEST(StopTexts, AreHeldBackWhereTheyMayBegin) {
  const StopTexts stops({"\n\n", "nano"});
  EXPECT_EQ(stops.begun("a"), 0u);
  EXPECT_EQ(stops.begun("a\n"), 1u);
  EXPECT_EQ(stops.begun("ananan"), 3u);  // "nan", of which the last "n" alone is one, too
  EXPECT_EQ(stops.begun(""), 0u);
  EXPECT_EQ(StopTexts({"x"}).begun("xyz"), 0u);  // one letter is never half there
}

TEST(StopTexts, AreNeverEmpty) {
  EXPECT_THROW(StopTexts({"a", ""}), UsageError);
}

}  // namespace
}  // namespace heed::pipeline
