// SPDX-License-Identifier: Apache-2.0
// Sentences: a tree becomes two lines of text and the links between their words.
#pragma once

#include "heed/tasks/corpus.h"
#include "heed/tasks/phrases/tree.h"

namespace heed::tasks::phrases {

Example write_sentence(const Sentence& sentence);

}  // namespace heed::tasks::phrases
