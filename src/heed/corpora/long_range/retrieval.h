// SPDX-License-Identifier: Apache-2.0
// Pairs of documents, to be told whether both are about the same person.
#pragma once

#include <cstdint>

#include "heed/base/random.h"
#include "heed/corpora/corpus.h"
#include "heed/corpora/made_names.h"

namespace heed::corpora {

struct RetrievalOptions {
  std::int64_t words = 300;   // of each document
  std::int64_t mentions = 3;  // of its subject, in each
  Part part = Part::train;    // subjects of the test do not occur in training
  std::int64_t turn = 0;      // every other pair matches
};

// A document is about somebody with a made-up name of two words, who is mentioned in it a few times
// in different sentences; all else is filler. The label is "match" where both are about the same,
// else "other". UsageError for documents that are too short for their mentions.
Example draw_retrieval(Random& random, const RetrievalOptions& options);

}  // namespace heed::corpora
