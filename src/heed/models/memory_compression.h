// SPDX-License-Identifier: Apache-2.0
// MemoryCompression: what is kept of states that leave a memory (Rae 2020, the Compressive
// Transformer): of every `rate` of them one slot.
//
// Letters: B tracks, E states that leave, c the rate, D width.
#pragma once  // public header

#include <string>
#include <vector>

#include "heed/nn/linear.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

// none: they are forgotten. Of the states x of each group of c: their mean, their maximum feature
// by feature, W [x_1; ...; x_c] + b (convolution), the same of every other state around the group,
// which reaches twice as far (dilated), or those states as they are that are looked at most, E/c of
// all E (most_used).
enum class CompressionKind { none, mean, max, convolution, dilated, most_used };
const std::vector<std::string>& compression_names();

class MemoryCompression {
 public:
  MemoryCompression() = default;
  MemoryCompression(CompressionKind kind, std::int64_t rate, std::int64_t width, Random& random);

  // states [B,E,D], E a multiple of the rate -> [B,E/c,D]. `usage` [B,E], how much each is looked
  // at, for those that ask for it.
  Variable operator()(const Variable& states, const Tensor& usage = {}) const;

  bool learns() const { return convolution_.weight.defined(); }
  bool asks_for_usage() const { return kind_ == CompressionKind::most_used; }
  void visit(nn::ParameterVisitor& visitor) { visitor("", convolution_); }

 private:
  // [B,E,D] -> [B,E/c,c D]: the states that each slot is made of, side by side.
  Variable groups(const Variable& states) const;

  CompressionKind kind_ = CompressionKind::none;
  std::int64_t rate_ = 1;
  nn::Linear convolution_;  // [D, c D]
};

// The plain rows of x [B,S,D] at rows [B,n] of each track: [B,n,D].
Variable rows_of_tracks(const Variable& x, const Ids& rows);

}  // namespace heed::models

#pragma GCC visibility pop
