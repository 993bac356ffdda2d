// SPDX-License-Identifier: Apache-2.0
// Little stories, continuous text for language models: names made for one story only recur in it,
// so that whoever looks back knows what comes.
#pragma once

#include "heed/base/random.h"
#include "heed/corpora/corpus.h"
#include "heed/corpora/made_names.h"

namespace heed::corpora {

// Five to nine sentences on one line about two characters with names of this part, something that
// one of them looks for, and where it is found.
Example draw_story(Random& random, Part part);

}  // namespace heed::corpora
