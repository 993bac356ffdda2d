// SPDX-License-Identifier: Apache-2.0
// The traced example of a sentence and its translation, found or given.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/pipeline/tracing.h"

namespace heed::pipeline {

struct TracedPair {
  TracedTokens source{};
  TracedTokens target{};
  // The sentences before that a model of documents read, the nearest first.
  std::vector<std::vector<std::string>> source_before{};
  std::vector<std::vector<std::string>> target_before{};
  std::string title{};
};

// Strips "source" and "target", "target read" (begin, then all but the last) where a decoder looks
// at what it has written, and "source context", "target context" with their sentences. Paths may
// have keys of padding.
insight::TracedExample traced(const TracedPair& pair,
                              std::span<const decoding::AttentionPath> paths);

}  // namespace heed::pipeline
