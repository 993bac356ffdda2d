// SPDX-License-Identifier: Apache-2.0
// v = pool(states), v / |v|.
#include "heed/models/embedder.h"

#include <limits>
#include <numeric>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::models {
namespace {

bool same_text(const Sequences& texts, std::int64_t one, std::int64_t other) {
  const std::int32_t length = texts.lengths.at({one});
  if (length != texts.lengths.at({other})) return false;
  for (std::int64_t i = 0; i < length; ++i) {
    if (texts.ids.at({one, i}) != texts.ids.at({other, i})) return false;
  }
  return true;
}

// [B,B]: 0 where row and column are two pairs with one and the same text of this side.
Tensor others(const Sequences& texts) {
  const std::int64_t batch = texts.lengths.size();
  Tensor apart = Tensor::full({batch, batch}, Real{1});
  for (std::int64_t i = 0; i < batch; ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      if (!same_text(texts, i, j)) continue;
      apart.mutable_data()[i * batch + j] = apart.mutable_data()[j * batch + i] = 0;
    }
  }
  return apart;
}

}  // namespace

Embedder::Embedder(const EmbedderOptions& options, Random& random)
    : options_(options), encoder_(options.encoder, random) {}

void Embedder::visit(nn::ParameterVisitor& visitor) {
  visitor("encoder", encoder_);
}

Variable Embedder::operator()(const Sequences& text, const Call& call) const {
  const Variable pooled = summary_of(options_.pooling, encoder_(text, call));
  return options_.normalised ? unit_rows(pooled) : pooled;
}

Variable unit_rows(const Variable& x) {
  // Far below any square of a length that is worth the name, far above the least number.
  constexpr Real kTiny = std::is_same_v<Real, float> ? Real(1e-30) : Real(1e-100);
  const Variable lengths = sqrt(sum(square(x), 1) + kTiny);
  return x / reshape(lengths, {x.size(0), 1});
}

Variable contrast(const Variable& first, const Variable& second, const Sequences& first_texts,
                  const Sequences& second_texts, Real temperature) {
  if (!(temperature > 0)) {
    throw UsageError("contrast: a temperature of {}; it takes more than 0", temperature);
  }
  const std::int64_t batch = first.size(0);
  const Variable cosines =
      matmul(unit_rows(first), transpose(unit_rows(second), 0, 1)) * (1 / temperature);
  const Variable never(Tensor::scalar(std::numeric_limits<Real>::lowest() / 4));
  const Variable scores = where(others(first_texts) * others(second_texts), cosines, never);
  std::vector<std::int32_t> own(static_cast<std::size_t>(batch));
  std::iota(own.begin(), own.end(), 0);
  const Ids right = Ids::of({batch}, own);
  return (cross_entropy(scores, right, {.reduction = Reduction::none}) +
          cross_entropy(transpose(scores, 0, 1), right, {.reduction = Reduction::none})) *
         Real(.5);
}

}  // namespace heed::models
