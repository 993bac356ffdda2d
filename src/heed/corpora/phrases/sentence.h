// SPDX-License-Identifier: Apache-2.0
// Sentences: a tree becomes two lines of text and the links between their words.
#pragma once

#include "heed/corpora/corpus.h"
#include "heed/corpora/phrases/tree.h"

namespace heed::corpora::phrases {

Example write_sentence(const Sentence& sentence);

}  // namespace heed::corpora::phrases
