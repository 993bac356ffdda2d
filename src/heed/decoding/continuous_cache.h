// SPDX-License-Identifier: Apache-2.0
// The continuous cache pointer (Grave 2017): words that came after states like the present one get
// more probability, without any training.
#pragma once  // public header

#include <cstdint>
#include <span>
#include <vector>

#include "heed/tensor/tensor.h"
#include "heed/text/token.h"

#pragma GCC visibility push(default)  // exported

namespace heed::decoding {

struct CacheOptions {
  std::int64_t size = 0;  // past states it keeps; 0: no cache
  double theta = .3;      // how much likeness counts
  double lambda = .1;     // share of the cache in the mixture
};
// UsageError for options out of range.
void check(const CacheOptions& options);

// p(w) = (1 - lambda) p_model(w) + lambda p_cache(w)                             (Eq. 4)
// p_cache(w) ~ sum over past i of 1[w_i = w] exp(theta h . h_i)                  (Eq. 3)
// where w_i is the word that came after the state h_i.
//
// A value: copies share their states until one of them adds to its own.
class ContinuousCache {
 public:
  explicit ContinuousCache(const CacheOptions& options) : options_(options) {}

  // Mixes the cache into the log-probabilities [V] of what comes after `hidden` [D]. An empty
  // cache changes nothing.
  void mix(std::span<const Real> hidden, std::span<Real> log_probabilities) const;
  // Remembers that `next` came after `hidden` [D]; the oldest is forgotten.
  void add(std::span<const Real> hidden, text::Token next);

  std::int64_t size() const { return static_cast<std::int64_t>(tokens_.size()); }

 private:
  CacheOptions options_;
  Tensor states_{};  // [size,D], a ring
  text::Tokens tokens_{};
  std::size_t oldest_ = 0;
};

}  // namespace heed::decoding

#pragma GCC visibility pop
