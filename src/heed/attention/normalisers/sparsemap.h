// SPDX-License-Identifier: Apache-2.0
// SparseMAP (Niculae, Martins, Blondel & Cardie 2018): few structures and their weights, by an
// active-set method that asks only for the best structure of given scores.
//
// A structure has penalised parts, each of which it has or has not, and may have any number of
// additional ones that only score. Over all distributions p of structures, with mu the expected
// penalised parts and nu the expected additional ones,
//   mu = argmax <scores, mu> + <extra scores, nu> - |mu|^2 / 2,
// which few structures attain. Which parts are penalised is the oracle's choice: a sequence of
// choices has both states of each key, so that a key that is not chosen still has a gradient.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heed/attention/normaliser.h"

namespace heed::attention {

// The penalised parts of a structure, one bit each, from the lowest bit of the first word on.
using PartBits = std::span<std::uint64_t>;
using PartBitsView = std::span<const std::uint64_t>;
inline void add_part(PartBits bits, std::size_t part) {
  bits[part / 64] |= std::uint64_t{1} << part % 64;
}
inline bool has_part(PartBitsView bits, std::size_t part) {
  return bits[part / 64] >> part % 64 & 1;
}

// What the solver has to know of a kind of structure. An oracle is a small struct in a file of its
// own, made for one problem: its size, limits and extra scores are fixed.
class StructureOracle {
 public:
  virtual ~StructureOracle() = default;

  // How many penalised parts there are.
  virtual std::size_t parts() const = 0;
  // Adds to `found`, which comes without parts, those of the structure with the highest
  // <scores, parts> + <extra scores, additional parts>. Of equals it must always take the same one:
  // the solver stops when it is offered a structure that it has. The scores are finite.
  virtual void best(std::span<const double> scores, PartBits found) const = 0;

  // What each additional part scores; none, unless the oracle has some.
  virtual std::span<const double> extra_scores() const { return {}; }
  // How often a structure has each additional part; counts come as zeros.
  virtual void count_extras(PartBitsView, std::span<double> /*counts*/) const {}

 protected:
  StructureOracle() = default;
  StructureOracle(const StructureOracle&) = default;
  StructureOracle& operator=(const StructureOracle&) = default;
};

// One problem after the other in the same memory; oracle and scores must live as long as what was
// solved is asked for. Members are the structures that have a weight;
// they are affinely independent.
class SparseMap {
 public:
  // Solves from the best structure on.
  void solve(const StructureOracle& oracle, std::span<const double> scores);
  // Solves from the members of the problem before, which may have had other scores but the same
  // structures: where scores change little, 3 to 10 times fewer calls of the oracle.
  void solve_warm(const StructureOracle& oracle, std::span<const double> scores);

  std::span<const double> expectation() const { return mu_; }  // [parts]
  std::size_t members() const { return weights_.size(); }
  PartBitsView member(std::size_t a) const { return row(bits_, a, words_); }
  std::span<const double> weights() const { return weights_; }  // [members], above 0, adding to 1
  // No structure is better by more than this along the gradient, hence the objective is at most
  // this far below its maximum; above 1e-9 only if the rounds ran out.
  double gap() const { return gap_; }
  std::size_t calls() const { return calls_; }  // of the oracle
  // <scores, mu> + <extra scores, nu> - |mu|^2 / 2
  double maximum() const;

  // Of the last problem: from the gradient of the expected parts to those of the scores and, where
  // wanted, of the extra scores; both are overwritten. At a kink, one of several.
  void backward(std::span<const double> upstream, std::span<double> d_scores,
                std::span<double> d_extras = {});
  // The same from the gradient of the members' weights, for a loss that is summed over members.
  void weights_backward(std::span<const double> upstream, std::span<double> d_scores,
                        std::span<double> d_extras = {});

 private:
  template <typename T>
  static std::span<const T> row(const std::vector<T>& matrix, std::size_t index,
                                std::size_t width) {
    return std::span(matrix).subspan(index * width, width);
  }
  void begin(const StructureOracle& oracle, std::span<const double> scores);
  void run();
  void ask(std::span<const double> scores);
  bool settle();
  void find_expectation();
  void refine();
  bool is_member() const;
  bool enter();
  double find_distance();
  void append(double weight);
  void remove(std::size_t a);
  double relative_score(std::span<const double> scores, PartBitsView bits,
                        std::span<const double> extras) const;
  void solve_lower(std::span<double> x) const;
  void solve_upper(std::span<double> x) const;

  const StructureOracle* oracle_ = nullptr;
  std::span<const double> scores_;
  std::size_t words_ = 0, extras_ = 0;

  std::vector<std::uint64_t> bits_;              // [members, words]
  std::vector<double> counts_;                   // [members, extras]
  std::vector<double> weights_, member_scores_;  // scores less the reference's
  // K = M'M + 11', M the members' parts as columns, is positive definite as long as members are
  // affinely independent. Its Cholesky factor L, row after row, L^-1 scores and L^-1 1.
  std::vector<double> factor_, lower_scores_, lower_ones_;

  std::vector<std::uint64_t> reference_, found_;
  std::vector<double> reference_counts_, found_counts_;
  std::vector<double> mu_, reduced_, target_, work_, cosines_, sines_;
  double tau_ = 0, gap_ = 0, distance_ = 0;
  std::size_t calls_ = 0;
};

// The members as keys, the largest share first and of equal ones the lowest keys: keys_of(bits).
template <typename KeysOf>
std::vector<Member> members_of(const SparseMap& solved, const KeysOf& keys_of) {
  std::vector<Member> all;
  for (std::size_t a = 0; a < solved.members(); ++a) {
    all.push_back({solved.weights()[a], keys_of(solved.member(a))});
  }
  std::ranges::sort(all, [](const Member& one, const Member& other) {
    return one.share != other.share ? one.share > other.share : one.keys < other.keys;
  });
  return all;
}

}  // namespace heed::attention
