// SPDX-License-Identifier: Apache-2.0
// Parts of the scenes: deterministic, apart, balanced.
#include "heed/corpora/scenes/scene_set.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "heed/base/error.h"

namespace heed::corpora {
namespace {

std::string looks(const PictureSet& set, std::int64_t i) {
  std::string text = set.of[static_cast<std::size_t>(i)].caption;
  for (const Region& region : set.of[static_cast<std::size_t>(i)].regions) {
    text += ' ' + std::to_string(region.box.left) + ',' + std::to_string(region.box.top);
  }
  return text;
}

TEST(SceneSet, IsTheSameForTheSameSeedAndBeginsTheSameWhereMoreIsWanted) {
  const PictureSet few = make_scenes(ScenePart::train, {.seed = 5, .size = 20});
  const PictureSet more = make_scenes(ScenePart::train, {.seed = 5, .size = 60});
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(few.of[i], more.of[i]);
  EXPECT_EQ(few.images.image(19), more.images.image(19));
  EXPECT_NE(make_scenes(ScenePart::train, {.seed = 6, .size = 20}).of, few.of);
  EXPECT_THROW(make_scenes(ScenePart::train, {.size = 0}), UsageError);
}

TEST(SceneSet, HasPartsThatShareNoScene) {
  std::map<std::string, int> part_of;
  for (const ScenePart part : {ScenePart::train, ScenePart::valid, ScenePart::test}) {
    const PictureSet set = make_scenes(part, {.size = 800});
    for (std::int64_t i = 0; i < set.size(); ++i) {
      const auto [at, is_new] = part_of.emplace(looks(set, i), static_cast<int>(part));
      EXPECT_EQ(at->second, static_cast<int>(part));
    }
  }
}

TEST(SceneSet, KeepsNewPairsAndFourObjectsForTheirParts) {
  const auto has_new = [](const Pictured& said) {
    return said.caption.find("red cross") != std::string::npos ||
           said.caption.find("blue circle") != std::string::npos ||
           said.caption.find("yellow square") != std::string::npos;
  };
  for (const Pictured& said : make_scenes(ScenePart::train, {.size = 500}).of) {
    EXPECT_FALSE(has_new(said));
    EXPECT_LE(said.regions.size(), 3);
    for (const PictureQuestion& one : said.questions) {
      EXPECT_EQ(one.question.find("red cross"), std::string::npos);
    }
  }
  for (const Pictured& said : make_scenes(ScenePart::fresh, {.size = 100}).of) {
    EXPECT_TRUE(has_new(said));
  }
  for (const Pictured& said : make_scenes(ScenePart::far, {.size = 100}).of) {
    EXPECT_EQ(said.regions.size(), 4);
  }
}

TEST(SceneSet, AsksAllKindsAndAnswersAlikeOften) {
  std::map<std::string, std::map<std::string, int>> asked;
  std::set<std::string> answers;
  int all = 0;
  for (const Pictured& said : make_scenes(ScenePart::train, {.size = 3000}).of) {
    for (const PictureQuestion& one : said.questions) {
      ++asked[one.kind][one.answer];
      answers.insert(one.answer);
      ++all;
    }
  }
  EXPECT_EQ(answers.size(), 18);
  EXPECT_EQ(asked.size(), 6);
  for (const auto& [kind, of] : asked) {
    int sum = 0;
    for (const auto& [answer, count] : of) sum += count;
    EXPECT_NEAR(sum, all / 6.0, 5) << kind;
    for (const auto& [answer, count] : of) {
      EXPECT_GT(count, sum / static_cast<int>(of.size()) / 3) << kind << ' ' << answer;
    }
  }
}

}  // namespace
}  // namespace heed::corpora
