// SPDX-License-Identifier: Apache-2.0
// The ways to make one slot of several states.
#include "heed/models/memory_compression.h"

#include <algorithm>
#include <numeric>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::models {
namespace {

// Between the states that one slot of a dilated convolution is made of.
constexpr std::int64_t kDilation = 2;

// The `count` states of each track that are looked at most, in the order of the text [B,count]; of
// equal ones the later.
Ids most_used(const Tensor& usage, std::int64_t count) {
  const Tensor by_track = usage.packed();
  const std::int64_t states = by_track.size(1);
  Ids chosen({by_track.size(0), count});
  for (std::int64_t b = 0; b < by_track.size(0); ++b) {
    const Real* used = by_track.data() + b * states;
    std::vector<std::int32_t> order(static_cast<std::size_t>(states));
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::int32_t i, std::int32_t j) {
      return used[i] != used[j] ? used[i] > used[j] : i > j;
    });
    order.resize(static_cast<std::size_t>(count));
    std::sort(order.begin(), order.end());
    std::copy(order.begin(), order.end(), chosen.mutable_data() + b * count);
  }
  return chosen;
}

}  // namespace

const std::vector<std::string>& compression_names() {
  static const std::vector<std::string> names = {"none",        "mean",    "max",
                                                 "convolution", "dilated", "most_used"};
  return names;
}

MemoryCompression::MemoryCompression(CompressionKind kind, std::int64_t rate, std::int64_t width,
                                     Random& random)
    : kind_(kind), rate_(rate) {
  if (rate < 1) throw UsageError("compression: rate {}; it takes 1 or more", rate);
  if (kind == CompressionKind::convolution || kind == CompressionKind::dilated) {
    convolution_ = nn::Linear(rate * width, width, random);
  }
}

Variable rows_of_tracks(const Variable& x, const Ids& rows) {
  const std::int64_t tracks = x.size(0), size = x.size(1), width = x.size(2);
  const std::int64_t count = rows.size(1);
  const Ids from = rows.packed();
  Ids all({tracks * count});
  for (std::int64_t i = 0; i < all.size(); ++i) {
    all.mutable_data()[i] = static_cast<std::int32_t>(i / count * size) + from.data()[i];
  }
  return reshape(embedding(reshape(x, {tracks * size, width}), all), {tracks, count, width});
}

Variable MemoryCompression::groups(const Variable& states) const {
  const std::int64_t tracks = states.size(0), count = states.size(1), width = states.size(2);
  if (kind_ != CompressionKind::dilated) {
    return reshape(states, {tracks, count / rate_, rate_ * width});
  }
  // c states, every other one, with the middle of the group in their middle; none is zero.
  const std::int64_t before = (kDilation - 1) * (rate_ - 1) / 2;
  const std::int64_t after = (kDilation - 1) * (rate_ - 1) - before;
  const Variable padded = pad(states, 1, {.before = before, .after = after});
  Ids taken({tracks, count});
  std::int32_t* out = taken.mutable_data();
  for (std::int64_t i = 0; i < taken.size(); ++i) {
    const std::int64_t state = i % count;
    *out++ = static_cast<std::int32_t>(state / rate_ * rate_ + state % rate_ * kDilation);
  }
  return reshape(rows_of_tracks(padded, taken), {tracks, count / rate_, rate_ * width});
}

Variable MemoryCompression::operator()(const Variable& states, const Tensor& usage) const {
  const std::int64_t count = states.size(1);
  if (count % rate_ != 0) {
    throw UsageError("compression: {} states do not divide into groups of {}", count, rate_);
  }
  const Shape grouped{states.size(0), count / rate_, rate_, states.size(2)};
  switch (kind_) {
    case CompressionKind::mean:
      return mean(reshape(states, grouped), 2);
    case CompressionKind::max:
      return maximum(reshape(states, grouped), 2);
    case CompressionKind::convolution:
    case CompressionKind::dilated:
      return convolution_(groups(states));
    case CompressionKind::most_used:
      if (!usage.defined() || usage.shape() != Shape{states.size(0), count}) {
        throw UsageError("compression: most_used takes how much each of the {} states is used",
                         count);
      }
      return rows_of_tracks(states, most_used(usage, count / rate_));
    case CompressionKind::none:
      break;
  }
  throw UsageError("compression: none keeps nothing of the states that leave");
}

}  // namespace heed::models
