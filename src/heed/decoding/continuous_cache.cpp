// SPDX-License-Identifier: Apache-2.0
// A ring of past states, asked by inner products.
#include "heed/decoding/continuous_cache.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "heed/base/error.h"
#include "heed/tensor/matmul.h"

namespace heed::decoding {

void check(const CacheOptions& options) {
  if (options.size < 0 || !(options.theta >= 0) || !(options.lambda >= 0 && options.lambda < 1)) {
    throw UsageError(
        "cache: size {}, theta {}, lambda {}; it takes 0 or more, 0 or more, and a share below 1",
        options.size, options.theta, options.lambda);
  }
}

void ContinuousCache::mix(std::span<const Real> hidden, std::span<Real> log_probabilities) const {
  if (tokens_.empty() || options_.lambda == 0) return;
  const auto width = static_cast<std::int64_t>(hidden.size());
  const Tensor query = Tensor::of({width, 1}, hidden);
  const Tensor likeness = matmul(states_.slice(0, 0, size()), query);  // [n,1]
  const std::span<const Real> products(likeness.data(), tokens_.size());
  const double largest = options_.theta * *std::ranges::max_element(products);
  std::map<text::Token, double> shares;
  double whole = 0;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const double share = std::exp(options_.theta * products[i] - largest);
    shares[tokens_[i]] += share;
    whole += share;
  }
  const auto kept = static_cast<Real>(std::log1p(-options_.lambda));
  for (Real& value : log_probabilities) value += kept;
  for (const auto& [token, share] : shares) {
    Real& value = log_probabilities[static_cast<std::size_t>(token)];
    value = static_cast<Real>(
        std::log(std::exp(static_cast<double>(value)) + options_.lambda * share / whole));
  }
}

void ContinuousCache::add(std::span<const Real> hidden, text::Token next) {
  if (options_.size == 0) return;
  const auto width = static_cast<std::int64_t>(hidden.size());
  if (!states_.defined()) {
    states_ = Tensor::zeros({options_.size, width});
  } else if (!states_.unique()) {
    states_ = states_.clone();
  }
  std::size_t place = tokens_.size();
  if (size() < options_.size) {
    tokens_.push_back(next);
  } else {
    place = oldest_;
    tokens_[place] = next;
    oldest_ = (oldest_ + 1) % tokens_.size();
  }
  std::ranges::copy(hidden,
                    states_.mutable_data() + static_cast<std::int64_t>(place) * states_.size(1));
}

}  // namespace heed::decoding
