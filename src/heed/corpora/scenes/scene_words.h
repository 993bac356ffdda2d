// SPDX-License-Identifier: Apache-2.0
// What is said of a scene: its one caption, and every question whose answer is unique.
#pragma once  // public header

#include <array>
#include <string_view>
#include <vector>

#include "heed/corpora/scenes/pictured.h"
#include "heed/corpora/scenes/scene.h"

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

// The caption with its links, and the regions, which are the objects. Objects come in reading
// order, each with size, colour and shape: "a large red circle in the upper left"; of two or more
// the first is said to lie left of, right of, above or below the second, by their cells, across
// where that is not the smaller distance; those after the second have places again.
Pictured described(const Scene& scene);

inline constexpr std::array<std::string_view, 6> kQuestionKinds{"colour", "shape",  "place",
                                                                "count",  "exists", "relation"};

// In the order of the kinds. What a "no" is asked of is drawn: a pair of colour and shape that
// shares one of both with an object, and that training shows.
std::vector<PictureQuestion> questions_about(const Scene& scene, Random& random);

}  // namespace heed::corpora

#pragma GCC visibility pop
