// SPDX-License-Identifier: Apache-2.0
// The built-in corpus of scenes: pictures with captions, questions and the regions they speak of.
#pragma once  // public header

#include <array>
#include <cstdint>
#include <string_view>

#include "heed/corpora/scenes/pictured.h"

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

// far: four objects, where the others have one to three. fresh: one object at least is a pair of
// colour and shape that the others do not show.
enum class ScenePart { train, valid, test, far, fresh };
inline constexpr std::array<std::string_view, 5> kScenePartNames{"train", "valid", "test",
                                                                 "test-far", "test-new"};

struct ScenesWanted {
  std::uint64_t seed = 1;
  std::int64_t size = 1000;
  int questions = 2;  // of each picture; fewer where there are no more
};

// The same for the same wish, and the first of more for more. Pictures of different parts differ.
// Of the questions there are, those are asked whose kind, and then whose answer, was asked least.
PictureSet make_scenes(ScenePart part, const ScenesWanted& wanted);

}  // namespace heed::corpora

#pragma GCC visibility pop
