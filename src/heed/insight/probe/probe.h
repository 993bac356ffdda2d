// SPDX-License-Identifier: Apache-2.0
// Probes: small classifiers that are trained to read a label off vectors, and what their success is
// worth: beside the commonest label, beside the label a word has most often, beside random labels
// of words (control tasks, Hewitt & Liang 2019), and as the length of a code (Voita & Titov 2020).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/exported.h"
#include "heed/tensor/tensor.h"

namespace heed::insight {

// Vectors of words with their labels. The last rows are held out: they are of other texts.
struct ProbeData {
  Tensor vectors{};                    // [N,D]
  std::vector<std::int32_t> labels{};  // [N], from 0
  std::vector<std::int32_t> words{};   // [N]: which word each is of, for control labels
  std::size_t learnt = 0;              // rows that are learnt from, the first
};

struct ProbeOptions {
  std::int64_t hidden = 0;  // units between vector and labels; 0: a linear probe
  std::int64_t epochs = 20;
  double rate = 1e-2;
  std::uint64_t seed = 1;
};

struct ProbeResult {
  double accuracy = 0;  // of the rows held out
  double control = 0;   // the same, when every word has a random label of its own
  // Bits that the labels learnt from take when a probe that has seen those before sends the next
  // ones, and when all are as likely.
  double code_bits = 0, uniform_bits = 0;

  double selectivity() const { return accuracy - control; }
  double compression() const { return code_bits > 0 ? uniform_bits / code_bits : 0; }
};

// What needs no vectors: the commonest label, and the one each word had most often in what is
// learnt from (the commonest for a word that is new).
struct ProbeBaselines {
  double commonest = 0;
  double by_word = 0;
};

// UsageError for fewer than two labels, rows that do not fit each other, and nothing held out.
HEED_EXPORTED ProbeResult probe(const ProbeData& data, const ProbeOptions& options = {});
HEED_EXPORTED ProbeBaselines probe_baselines(const ProbeData& data);

}  // namespace heed::insight
