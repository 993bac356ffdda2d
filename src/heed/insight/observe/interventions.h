// SPDX-License-Identifier: Apache-2.0
// Interventions: observers that put other weights in the place of a model's own, to find out what
// those were good for. Each acts on the sites it is given, on all without a choice.
//
//   UniformWeights uniform([](const attention::Site& site) { return site.role == Role::cross; });
//   model.decode(encoded, target, {.watch = &uniform});
#pragma once  // public header

#include <cstdint>
#include <functional>
#include <vector>

#include "heed/attention/observer.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

using ChosenSites = std::function<bool(const attention::Site&)>;

class Intervention : public attention::Observer {
 public:
  explicit Intervention(ChosenSites chosen) : chosen_(std::move(chosen)) {}
  bool wants_weights(const attention::Site& site) const override {
    return !chosen_ || chosen_(site);
  }

 private:
  ChosenSites chosen_;
};

// Every key that a query sees gets the same weight: what is read is the mean of the values.
class UniformWeights final : public Intervention {
 public:
  explicit UniformWeights(ChosenSites chosen = nullptr) : Intervention(std::move(chosen)) {}
  Variable weights(const attention::ObservedWeights& observed) override;
};

// Each query deals its weights again among the keys it sees (Jain & Wallace 2019, section 4.2.1): a
// function of the seed, the site, the head and the query.
class PermutedWeights final : public Intervention {
 public:
  explicit PermutedWeights(std::uint64_t seed, ChosenSites chosen = nullptr)
      : Intervention(std::move(chosen)), seed_(seed) {}
  Variable weights(const attention::ObservedWeights& observed) override;

 private:
  std::uint64_t seed_;
};

// Weights [B,H,Q,K] that the caller gives for one site. UsageError when they do not fit its looks,
// or give a hidden key a weight.
class GivenWeights final : public Intervention {
 public:
  GivenWeights(const attention::Site& site, Variable weights);
  Variable weights(const attention::ObservedWeights& observed) override;

 private:
  Variable given_;
};

// These heads read nothing: all their weights are 0 (Michel 2019).
class ErasedHeads final : public Intervention {
 public:
  explicit ErasedHeads(std::vector<std::int64_t> heads, ChosenSites chosen = nullptr)
      : Intervention(std::move(chosen)), heads_(std::move(heads)) {}
  Variable weights(const attention::ObservedWeights& observed) override;

 private:
  std::vector<std::int64_t> heads_;
};

// Multiplies what each head reads by a factor of its own, which may be a leaf: at 1 its gradient is
// how much the head counts (Michel 2019, Eq. 5), and 0 erases it. Sites without factors stay as
// they are.
class HeadFactors final : public attention::Observer {
 public:
  struct Entry {
    attention::Site site;
    Variable factors;  // [B,H], or [1,H] for all sequences
  };
  // UsageError for factors of another shape, there and where heads or sequences are missing.
  explicit HeadFactors(std::vector<Entry> entries);
  bool wants_weights(const attention::Site& site) const override;
  Variable weights(const attention::ObservedWeights& observed) override;

 private:
  std::vector<Entry> entries_;
};

}  // namespace heed::insight

#pragma GCC visibility pop
