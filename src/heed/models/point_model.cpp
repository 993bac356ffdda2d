// SPDX-License-Identifier: Apache-2.0
// Masks of what may be pointed at, and logits of what is.
#include "heed/models/point_model.h"

#include <algorithm>
#include <limits>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/models/point_transformer.h"
#include "heed/models/pointer_network.h"

namespace heed::models {
namespace {

constexpr Real kNever = -std::numeric_limits<Real>::infinity();

// One row of a mask [1+P], from what was used so far.
void allow(std::span<const char> used, std::int64_t count, std::int64_t least, Real* row) {
  const auto points = static_cast<std::int64_t>(used.size()) - 1;
  const bool ended = used[kEndChoice] != 0;
  row[kEndChoice] = ended || count >= (least == 0 ? points : least) || count >= points ? 1 : 0;
  for (std::size_t i = 1; i < used.size(); ++i) row[i] = ended || used[i] != 0 ? 0 : 1;
}

}  // namespace

const std::vector<std::string>& point_reading_names() {
  static const std::vector<std::string> names = {"lstm", "set", "attention"};
  return names;
}

std::unique_ptr<PointModel> make_point_model(const PointModelOptions& options, Random& random) {
  if (options.features < 1 || options.width < 1 || options.least < 0 || options.process < 1) {
    throw UsageError(
        "point model: {} features, width {}, {} points at least, {} process steps; features, width "
        "and steps take 1 or more",
        options.features, options.width, options.least, options.process);
  }
  if (options.reading == PointReading::attention) {
    return std::make_unique<PointTransformer>(options, random);
  }
  return std::make_unique<PointerNetwork>(options, random);
}

Tensor allowed_choices(const Ids& choices, std::int64_t points, std::int64_t least) {
  const std::int64_t batch = choices.size(0), steps = choices.size(1), keys = 1 + points;
  Tensor mask({batch, 1, steps, keys});
  Real* row = mask.mutable_data();
  std::vector<char> used(static_cast<std::size_t>(keys));
  for (std::int64_t b = 0; b < batch; ++b) {
    std::ranges::fill(used, 0);
    for (std::int64_t t = 0; t < steps; ++t, row += keys) {
      allow(used, t, least, row);
      used[static_cast<std::size_t>(choices.at({b, t}))] = 1;
    }
  }
  return mask;
}

Tensor allowed_next(const Tensor& used, std::int64_t count, std::int64_t least) {
  const std::int64_t rows = used.size(0), keys = used.size(1);
  Tensor mask({rows, 1, 1, keys});
  const std::vector<Real> before = used.values();
  std::vector<char> mine(static_cast<std::size_t>(keys));
  for (std::int64_t n = 0; n < rows; ++n) {
    std::ranges::transform(
        std::span(before).subspan(static_cast<std::size_t>(n * keys), mine.size()), mine.begin(),
        [](Real one) { return one != 0; });
    allow(mine, count, least, mask.mutable_data() + n * keys);
  }
  return mask;
}

Tensor marked(const Tensor& used, const Ids& chosen) {
  Tensor more = used.clone();
  for (std::int64_t n = 0; n < more.size(0); ++n) {
    more.mutable_data()[n * more.size(1) + chosen.at({n})] = 1;
  }
  return more;
}

Variable pointed(const attention::Attended& attended, const Tensor& allowed, bool watched) {
  const Variable& found = watched ? attended.weights : attended.scores;
  const std::int64_t keys = found.size(3);
  const Variable rows = reshape(found, {-1, keys});
  const Tensor open = allowed.reshape({-1, keys});
  if (watched) {
    constexpr Real kTiny = std::numeric_limits<Real>::min();
    return where(open, log(clamp(rows, kTiny, 1)), Variable(Tensor::full(open.shape(), kNever)));
  }
  Tensor barrier = Tensor::zeros(open.shape());
  for (std::int64_t i = 0; i < open.size(); ++i) {
    if (open.data()[i] == 0) barrier.mutable_data()[i] = kNever;
  }
  return rows + Variable(barrier);
}

Variable chosen_rows(const Variable& rows, const Ids& which) {
  const std::int64_t keys = rows.size(1), each = which.size() / which.size(0);
  Ids places(which.shape());
  const std::vector<std::int32_t> numbers = which.values();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    places.mutable_data()[i] =
        static_cast<std::int32_t>(static_cast<std::int64_t>(i) / each * keys) + numbers[i];
  }
  return embedding(reshape(rows, {-1, rows.size(2)}), places);
}

}  // namespace heed::models
