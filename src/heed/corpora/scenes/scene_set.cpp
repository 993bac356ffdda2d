// SPDX-License-Identifier: Apache-2.0
// Drawing a part of the scenes, and choosing what is asked of each.
#include "heed/corpora/scenes/scene_set.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "heed/base/error.h"
#include "heed/corpora/choose.h"
#include "heed/corpora/scenes/scene_words.h"

namespace heed::corpora {
namespace {

// Chooses questions so that kinds, and the answers of a kind, occur alike often.
class Balance {
 public:
  std::vector<PictureQuestion> choose(std::vector<PictureQuestion> all, int wanted,
                                      Random& random) {
    random.shuffle(all);
    std::vector<PictureQuestion> chosen;
    while (static_cast<int>(chosen.size()) < wanted && !all.empty()) {
      const auto asked = [&](const PictureQuestion& question) {
        return std::pair{kinds_[question.kind], answers_[{question.kind, question.answer}]};
      };
      const auto best = std::ranges::min_element(all, {}, asked);
      ++kinds_[best->kind];
      ++answers_[{best->kind, best->answer}];
      chosen.push_back(std::move(*best));
      all.erase(best);
    }
    return chosen;
  }

 private:
  std::map<std::string, std::int64_t> kinds_{};
  std::map<std::pair<std::string, std::string>, std::int64_t> answers_{};
};

SceneWish wish_of(ScenePart part, Random& random) {
  if (part == ScenePart::far) return {.objects = 4};
  // Single objects are soon repeated.
  const int objects = pick_weighted<int>(random, {{1, 2}, {2, 3}, {3, 5}});
  return {.objects = objects, .new_pair = part == ScenePart::fresh};
}

// Which part a scene of one to three known objects belongs to hangs on what is in it, so that no
// part has another's: a twentieth each for validation and test.
ScenePart home_of(const Scene& scene) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const SceneObject& object : scene.objects) {
    for (const int number : {static_cast<int>(object.shape), static_cast<int>(object.colour),
                             static_cast<int>(object.large), object.row, object.column,
                             object.down + 2, object.right + 2}) {
      hash = (hash ^ static_cast<std::uint64_t>(number + 1)) * 0x100000001B3ULL;
    }
  }
  hash ^= hash >> 32;
  return hash % 20 == 0 ? ScenePart::valid : hash % 20 == 1 ? ScenePart::test : ScenePart::train;
}

}  // namespace

PictureSet make_scenes(ScenePart part, const ScenesWanted& wanted) {
  if (wanted.size < 1) throw UsageError("{} scenes; at least 1 can be made", wanted.size);
  const bool apart = part == ScenePart::far || part == ScenePart::fresh;
  Random random(wanted.seed, static_cast<std::uint64_t>(part));
  Balance balance;
  PictureSet set;
  set.images = {.rows = kSceneSide, .columns = kSceneSide, .channels = 3};
  while (set.size() < wanted.size) {
    const Scene scene = draw_scene(random, wish_of(part, random));
    if (!apart && home_of(scene) != part) continue;
    Pictured pictured = described(scene);
    Random asking(wanted.seed ^ scene.noise, 1);
    pictured.questions = balance.choose(questions_about(scene, asking), wanted.questions, asking);
    set.images.add(picture_of(scene), 0);
    set.of.push_back(std::move(pictured));
  }
  return set;
}

}  // namespace heed::corpora
