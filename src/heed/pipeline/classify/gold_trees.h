// SPDX-License-Identifier: Apache-2.0
// Known dependency trees of texts: read beside them, learnt from, and compared with those found.
//
// A file of trees has the heads of the words of text n in its line n (text/heads.h). A word of
// several tokens is its first one; the others hang on that.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <vector>

#include "heed/base/exported.h"
#include "heed/pipeline/classify/classifier.h"
#include "heed/text/batch.h"
#include "heed/text/heads.h"
#include "heed/text/labelled.h"
#include "heed/text/tokeniser.h"

namespace heed::pipeline {

// The trees of `texts`, which come from the file `data`. DataError with file and line for what is
// no tree or not one of its text's words, and with both files for unequal counts.
HEED_EXPORTED std::vector<text::Heads> read_trees(const std::filesystem::path& path,
                                                  std::span<const text::LabelledText> texts,
                                                  const std::filesystem::path& data);

// Heads of words -> heads of tokens and back, with the word of each token.
text::Heads token_heads(const text::Heads& words, std::span<const int> word_of_token);
text::Heads word_heads(std::span<const std::int32_t> tokens, std::span<const int> word_of_token,
                       std::size_t count);

// The trees of a file of labelled texts in training, by the line that a text begins in.
class GoldTrees {
 public:
  GoldTrees() = default;  // none
  GoldTrees(const std::filesystem::path& path, const std::filesystem::path& data,
            const text::LabelledForm& form, const text::Tokeniser& tokeniser);

  bool empty() const { return by_line_.empty(); }
  // Heads of the text's tokens.
  const text::Heads& at(std::uint64_t line) const { return by_line_.at(line); }

 private:
  std::map<std::uint64_t, text::Heads> by_line_;
};

// What a batch is to find: heads of tokens [B,S], -1 for the end and padding, and how many each
// text has [B]: 0 where it was cropped, and its tree is not known any more.
struct TreeTargets {
  Ids heads;
  Ids words;
};
TreeTargets tree_targets(std::span<const text::Heads* const> trees, const text::TokenRows& texts);

// How well trees agree with those found.
struct TreeQuality {
  double words = 0;  // of all texts
  double right = 0;  // whose head was found: the unlabelled attachment score is their share
  double trees = 0;
  double whole = 0;  // found with every head
  // How many heads would be right without looking: each word hangs on the next one, or on the one
  // before.
  double left_branching = 0;
  double right_branching = 0;

  void add(const text::Heads& gold, const text::Heads& found);
  double attachment() const { return right / words; }
};
// UsageError for unequal counts, and for a model without syntactic attention.
HEED_EXPORTED TreeQuality tree_quality(std::span<const text::Heads> gold,
                                       std::span<const Classification> found);

}  // namespace heed::pipeline
