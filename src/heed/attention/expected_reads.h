// SPDX-License-Identifier: Apache-2.0
// Expected reads: the observer that lets some sequences of a batch read the mean of what could be
// drawn in the place of a draw, by which scores learn as soft attention does while the others draw
// (semi-sampling, Xu 2015).
//
//   attention::ExpectedReads expected(.5, noise.next_u64());
//   model(input, {.noise = &noise, .watch = &expected});
#pragma once  // public header

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "heed/attention/normaliser.h"
#include "heed/attention/observer.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

class ExpectedReads final : public Observer {
 public:
  // Each sequence with this probability, for all that it draws. The same seed gives the same.
  ExpectedReads(double share, std::uint64_t seed) : share_(share), seed_(seed) {}

  bool chosen(std::int64_t sequence) const;
  // Weights of normalisers that do not draw are left alone.
  Variable weights(const ObservedWeights& observed) override;

 private:
  // The one whose weights are the mean of the draws; nullptr: it does not draw.
  const Normaliser* mean_of(const Normaliser* normaliser);

  double share_;
  std::uint64_t seed_;
  std::map<std::string, std::unique_ptr<Normaliser>> means_{};  // by what is drawn from
};

}  // namespace heed::attention

#pragma GCC visibility pop
