// SPDX-License-Identifier: Apache-2.0
// How a vocabulary is made, as command lines and config files say it, and the one vocabulary of a
// task that reads one kind of text.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/base/options.h"
#include "heed/pipeline/print.h"
#include "heed/pipeline/run_options.h"
#include "heed/text/tokeniser.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// The file of a model folder that holds the vocabulary of a kind that has one.
inline constexpr const char* kTokeniserFile = "tokeniser";

struct VocabularyOptions {
  text::TokeniserKind tokeniser = text::TokeniserKind::bpe;
  std::int32_t size = 8000;
  std::int64_t sample = 200'000;
  bool lower_case = false;
  std::int64_t least_count = 1;
  double coverage = 1;

  void declare(Options& options);
  text::TokeniserOptions to_options(int threads) const;
};

// The same, a file of its own instead, and word vectors.
struct OneVocabularyOptions : VocabularyOptions {
  std::string given;       // a tokeniser's file
  std::string embeddings;  // word vectors to start from

  void declare(Options& options);
};

using TokeniserPointer = std::shared_ptr<const text::Tokeniser>;

// text::train_tokeniser, and a word to `print` when subwords are fewer than was wished: little text
// gives few pieces.
TokeniserPointer train_vocabulary(const text::TokeniserOptions& wish,
                                  std::span<const std::string> lines, const Print& print);

// The one vocabulary of a run: that of the checkpoints it resumes from; else
// the given file; else that of --init-from; else what `learn` makes of the training text.
TokeniserPointer find_tokeniser(const RunOptions& run, const OneVocabularyOptions& options,
                                const std::function<TokeniserPointer()>& learn);

}  // namespace heed::pipeline

#pragma GCC visibility pop
