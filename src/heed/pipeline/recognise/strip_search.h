// SPDX-License-Identifier: Apache-2.0
// What a recogniser writes for strips: by CTC the best path or prefix beams, by a decoder the
// likeliest label at every step or beams; and which frames each label came from.
#pragma once  // public header

#include <span>
#include <vector>

#include "heed/base/options.h"
#include "heed/corpora/strips/strips.h"
#include "heed/decoding/attention_path.h"
#include "heed/models/strip_recogniser.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct StripSearch {
  int beam = 1;  // 1: the best path, or the likeliest at every step

  void declare(Options& options);
};

struct FoundLabels {
  std::vector<int> labels{};
  double log_probability = 0;  // of a best path its own, else of the labels
};

// The best of each, in the order of the strips.
std::vector<FoundLabels> find_labels(const models::StripRecogniser& model,
                                     std::span<const corpora::Strip> strips,
                                     const StripSearch& search = {});

struct LookedAt {
  FoundLabels found{};
  // [U,S]: of each label over the states. By CTC the chances of its being there, given the labels;
  // by a decoder its attention.
  Tensor weights{};
  // ctc: the chance of each place at each state, given the labels, [2U+1,S]; places are blank,
  // first label, blank, second label, ...
  Tensor chances{};
  std::vector<std::int64_t> path{};  // ctc: the place of each state, on the likeliest path
  std::vector<decoding::AttentionPath> attentions{};  // of decoders, the end included
};
LookedAt look_at(const models::StripRecogniser& model, const corpora::Strip& strip,
                 const StripSearch& search = {});

}  // namespace heed::pipeline

#pragma GCC visibility pop
