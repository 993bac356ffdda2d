// SPDX-License-Identifier: Apache-2.0
// Names that nobody bears, made of syllables: thousands of them, and each belongs to one part of a
// corpus only.
#pragma once

#include <string>
#include <string_view>

#include "heed/base/exported.h"
#include "heed/base/random.h"

namespace heed::corpora {

enum class Part { train, valid, test, far };

// A capital, two or three syllables. It begins with a consonant that is no h, so that French elides
// nothing before it.
std::string make_name(Random& random);

// Which part a name belongs to, by its letters alone: four of five to training, the rest to
// validation and, for the test and what lies beyond it, to the test.
Part part_of_name(std::string_view name);

// A name of this part.
HEED_EXPORTED std::string make_name(Random& random, Part part);

}  // namespace heed::corpora
