// SPDX-License-Identifier: Apache-2.0
// Associative memories: patterns are stored, and a damaged one runs down to what it resembles. The
// network of Hopfield 1982, its dense kin of Krotov & Hopfield 2016, and the modern one of Ramsauer
// et al. 2020, each step of which is softmax attention with the patterns as keys and values.
//
//   const auto memory = models::make_associative_memory({{1, -1, 1}, {-1, 1, 1}}, {.beta = 2});
//   const models::Recollection found = models::recall(*memory, {1, 0, 1});
//   found.steps.back().state;  // {1, -1, 1}, nearly
//
// All in double: weights of a thousand patterns differ by e^(beta N).
#pragma once  // public header

#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::models {

using MemoryPattern = std::vector<double>;  // [N]

// Classical and dense memories hold bits, -1 or 1, and change one unit at a time; a modern one
// holds any numbers, and its state is a mixture of patterns.
enum class MemoryRule { classical, dense, modern };
// As options write them, in the order of the enumeration.
inline const std::vector<std::string>& memory_rule_names() {
  static const std::vector<std::string> names{"classical", "dense", "modern"};
  return names;
}

struct AssociativeOptions {
  MemoryRule rule = MemoryRule::modern;
  double beta = 1;         // of modern: how sharply patterns are told apart
  std::int64_t power = 3;  // n of dense: energy is the overlap's n-th power; 2 is classical
};

class AssociativeMemory {
 public:
  // Of the classical one, whose couplings are a matrix of units by units.
  static constexpr std::size_t kMostCoupledUnits = 4096;

  virtual ~AssociativeMemory() = default;

  virtual MemoryRule rule() const = 0;
  // The state after one step: of modern the mixture, of the others all units in turn, each with
  // those before it already changed.
  virtual MemoryPattern step(MemoryPattern state) const = 0;
  // What no step raises.
  virtual double energy(std::span<const double> state) const = 0;
  // [P]: what each pattern contributes to the next state. Softmax of modern; of the others the
  // slope of the energy along each overlap, which may be negative, its magnitudes adding up to 1.
  virtual std::vector<double> weights(std::span<const double> state) const = 0;

  const std::vector<MemoryPattern>& patterns() const { return patterns_; }
  std::size_t units() const { return patterns_.front().size(); }
  // x_mu . state of every pattern.
  std::vector<double> overlaps(std::span<const double> state) const {
    std::vector<double> found;
    found.reserve(patterns_.size());
    for (const MemoryPattern& pattern : patterns_) {
      found.push_back(std::inner_product(pattern.begin(), pattern.end(), state.begin(), 0.));
    }
    return found;
  }

 protected:
  explicit AssociativeMemory(std::vector<MemoryPattern> patterns)
      : patterns_(std::move(patterns)) {}

 private:
  std::vector<MemoryPattern> patterns_;
};

// UsageError for no pattern, patterns of different sizes, numbers that are not finite, bits that
// are not -1 or 1 where the rule needs bits, and options out of range.
std::unique_ptr<AssociativeMemory> make_associative_memory(std::vector<MemoryPattern> patterns,
                                                           const AssociativeOptions& options = {});

struct RecallOptions {
  std::int64_t most_steps = 20;
  double tolerance = 1e-3;  // a state has settled when no unit changes by more
};

struct RecallStep {
  MemoryPattern state{};
  double energy = 0;
  std::vector<double> weights{};  // by which the next state is made
};

struct Recollection {
  std::vector<RecallStep> steps{};  // the first is the query as it was given
  bool settled = false;             // whether another step would change nothing
};

// Steps until nothing changes. UsageError for a query of another size or with numbers that are not
// finite. Units that are not known are 0.
Recollection recall(const AssociativeMemory& memory, MemoryPattern query,
                    const RecallOptions& options = {});

// -1 or 1 each, 1 for 0.
inline MemoryPattern signs_of(std::span<const double> state) {
  MemoryPattern signs;
  signs.reserve(state.size());
  for (const double value : state) signs.push_back(value < 0 ? -1 : 1);
  return signs;
}
// Which part of the units have another sign than those of the pattern.
inline double wrong_share(std::span<const double> state, std::span<const double> pattern) {
  std::size_t wrong = 0;
  for (std::size_t u = 0; u < state.size(); ++u) wrong += (state[u] < 0) != (pattern[u] < 0);
  return state.empty() ? 0 : static_cast<double>(wrong) / static_cast<double>(state.size());
}

}  // namespace heed::models

#pragma GCC visibility pop
