// SPDX-License-Identifier: Apache-2.0
// A token drawn by its probability, from all of them, the top k or the nucleus.
#include "heed/decoding/draw.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/base/error.h"
#include "heed/decoding/top_tokens.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/reductions.h"
#include "heed/kernels/softmax.h"

namespace heed::decoding {
namespace {

// The tokens that may be drawn, likeliest first; probabilities [V] add up to 1.
std::vector<ScoredToken> allowed(std::span<const Real> probabilities, const DrawOptions& options) {
  const std::size_t most =
      options.top_k > 0 ? std::min(static_cast<std::size_t>(options.top_k), probabilities.size())
                        : probabilities.size();
  // A nucleus is mostly small: look for it among few tokens first.
  std::size_t count =
      options.nucleus < 1 && options.top_k == 0 ? std::min<std::size_t>(64, most) : most;
  for (;; count = std::min(4 * count, most)) {
    std::vector<ScoredToken> top = top_tokens(probabilities, count);
    if (options.nucleus >= 1) return top;
    double whole = 1;
    if (options.top_k > 0) {
      whole = 0;
      for (const ScoredToken& one : top) whole += one.value;
    }
    double sum = 0;
    for (std::size_t i = 0; i < top.size(); ++i) {
      sum += top[i].value;
      if (sum >= options.nucleus * whole) {
        top.resize(i + 1);
        return top;
      }
    }
    if (count == most) return top;
  }
}

// Which of these weights the next number of `random` points to; kNoToken when all are 0.
// `weight(i)` of i below count.
template <typename Weight>
std::int64_t draw(std::size_t count, const Weight& weight, Random& random) {
  double whole = 0;
  for (std::size_t i = 0; i < count; ++i) whole += weight(i);
  const double point = random.uniform() * whole;
  double sum = 0;
  std::int64_t last = kNoToken;  // rounding may leave the point beyond the last sum
  for (std::size_t i = 0; i < count; ++i) {
    if (weight(i) <= 0) continue;
    last = static_cast<std::int64_t>(i);
    sum += weight(i);
    if (point < sum) break;
  }
  return last;
}

text::Token drawn_token(std::span<const Real> probabilities, const DrawOptions& options,
                        Random& random) {
  if (options.top_k == 0 && options.nucleus >= 1) {
    return static_cast<text::Token>(draw(
        probabilities.size(), [&](std::size_t i) { return probabilities[i]; }, random));
  }
  const std::vector<ScoredToken> top = allowed(probabilities, options);
  const std::int64_t drawn = draw(
      top.size(), [&](std::size_t i) { return top[i].value; }, random);
  return drawn == kNoToken ? kNoToken : top[static_cast<std::size_t>(drawn)].token;
}

}  // namespace

void check(const DrawOptions& options) {
  if (options.top_k < 0) {
    throw UsageError("sampling: the top {} tokens; it takes 0 (all) or more", options.top_k);
  }
  if (!(options.temperature > 0) || !std::isfinite(options.temperature)) {
    throw UsageError(
        "sampling: temperature {}; it takes more than 0 (greedy search is the limit at 0)",
        options.temperature);
  }
  if (!(options.nucleus > 0 && options.nucleus <= 1)) {
    throw UsageError("sampling: nucleus {}; it takes a probability, more than 0 and at most 1",
                     options.nucleus);
  }
}

text::Token draw_token(std::span<const Real> log_probabilities, const DrawOptions& options,
                       Random& random) {
  const std::size_t vocabulary = log_probabilities.size();
  std::vector<Real> weights(vocabulary);
  kernels::scale(static_cast<Real>(1 / options.temperature), log_probabilities.data(),
                 weights.data(), vocabulary);
  kernels::softmax(weights.data(), weights.data(), 1, vocabulary);
  if (std::isnan(weights.front())) {  // so is the row: the search will name its culprit
    return static_cast<text::Token>(kernels::argmax(log_probabilities.data(), vocabulary));
  }
  return drawn_token(weights, options, random);
}

}  // namespace heed::decoding
