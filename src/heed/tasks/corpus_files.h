// SPDX-License-Identifier: Apache-2.0
// A built-in corpus as files that every translator reads: train.en, train.fr, train.align, ...
#pragma once

#include <filesystem>

#include "heed/tasks/corpus.h"

namespace heed::tasks {

// Writes each part's sources, targets and, where there are any, alignments, one line per pair.
// Makes the folder; DataError where something cannot be written.
void write_corpus(const Corpus& corpus, const CorpusCard& card,
                  const std::filesystem::path& folder);

}  // namespace heed::tasks
