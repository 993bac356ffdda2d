// SPDX-License-Identifier: Apache-2.0
// From the frames of a model trained by CTC to labels: the best path, which takes the likeliest
// symbol of each frame, and prefix beam search, which adds up the paths of each labelling. Of two
// frames that say blank with .6 and a label with .4 the best path is empty, .36; the label has .64.
//
// Letters: T frames, C symbols with the blank.
#pragma once  // public header

#include <cstdint>
#include <vector>

#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed::decoding {

struct Labelling {
  std::vector<std::int32_t> labels = {};
  double log_probability = 0;  // of a best path, its own; of a search, of all its paths found
};

// logits [T,C]: repeated symbols are one, and blanks go.
Labelling ctc_best_path(const Tensor& logits, std::int32_t blank = 0);

// Of all paths that are these labels the likeliest, logits [T,C] -> T places: blank 0, first label
// 1, blank 2, second label 3, ... as in ctc_posterior. Empty where the labels do not fit.
std::vector<std::int64_t> ctc_likeliest_places(const Tensor& logits,
                                               const std::vector<std::int32_t>& labels,
                                               std::int32_t blank = 0);

struct PrefixBeamOptions {
  std::int32_t blank = 0;
  std::int64_t width = 16;  // prefixes kept after each frame; as many as there are: exact
  std::int64_t best = 1;    // labellings wanted
};

// logits [T,C] -> the likeliest first.
std::vector<Labelling> ctc_prefix_beam(const Tensor& logits, const PrefixBeamOptions& options = {});

}  // namespace heed::decoding

#pragma GCC visibility pop
