// SPDX-License-Identifier: Apache-2.0
// Both ways are lookups of rows: a packed row by its place, a place by its token.
#include "heed/nn/packing.h"

#include <algorithm>
#include <vector>

#include "heed/autograd/ops.h"
#include "heed/nn/lengths.h"

namespace heed::nn {
namespace {

constexpr std::int32_t kNoToken = -1;

}  // namespace

Packing::Packing(const Ids& lengths, std::int64_t longest) {
  check_lengths("packing", lengths, lengths.size(), longest);
  std::vector<std::int32_t> places;
  tokens_ = Ids({lengths.size(), longest});
  std::int32_t* const tokens = tokens_.mutable_data();
  std::fill_n(tokens, tokens_.size(), kNoToken);
  for (std::int64_t row = 0; row < lengths.size(); ++row) {
    const std::int64_t first = row * longest;
    for (std::int64_t place = first; place < first + length_of(lengths, row, longest); ++place) {
      tokens[place] = static_cast<std::int32_t>(places.size());
      places.push_back(static_cast<std::int32_t>(place));
    }
  }
  places_ = Ids::of({static_cast<std::int64_t>(places.size())}, places);
}

Variable Packing::packed(const Variable& x) const {
  return defined() ? embedding(reshape(x, {-1, x.size(-1)}), places_) : x;
}

Variable Packing::spread(const Variable& x) const {
  return defined() ? embedding(x, tokens_, kNoToken) : x;
}

Packing worthwhile_packing(const Ids& lengths, std::int64_t longest) {
  // An attention's tokens are moved four times: about an eighth of its four products, by a count of
  // bytes and flops. Where the two break even was not measured.
  constexpr std::int64_t kWorthwhile = 8;
  if (!lengths.defined()) return {};
  std::int64_t padding = 0;
  for (std::int64_t row = 0; row < lengths.size(); ++row) {
    padding += longest - length_of(lengths, row, longest);
  }
  return padding * kWorthwhile > lengths.size() * longest ? Packing(lengths, longest) : Packing();
}

}  // namespace heed::nn
