// SPDX-License-Identifier: Apache-2.0
// The active set of SparseMAP: solve for the weights of the members, ask for the structure that is
// better than all of them, take it in; leave out who gets no weight.
#include "heed/attention/normalisers/sparsemap.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace heed::attention {
namespace {

// A structure whose distance from the members' affine hull is below this depends on them. K is a
// matrix of whole numbers: real distances are far above it, rounding far below.
constexpr double kDependent = 1e-9;

template <typename F>
void for_each_part(PartBitsView bits, const F& f) {
  for (std::size_t w = 0; w < bits.size(); ++w) {
    for (std::uint64_t rest = bits[w]; rest != 0; rest &= rest - 1) {
      f(64 * w + static_cast<std::size_t>(std::countr_zero(rest)));
    }
  }
}

double parts_in_common(PartBitsView a, PartBitsView b) {
  int count = 0;
  for (std::size_t w = 0; w < a.size(); ++w) count += std::popcount(a[w] & b[w]);
  return count;
}

template <typename T>
void erase_row(std::vector<T>& matrix, std::size_t index, std::size_t width) {
  const auto first = matrix.begin() + static_cast<std::ptrdiff_t>(index * width);
  matrix.erase(first, first + static_cast<std::ptrdiff_t>(width));
}

std::size_t row_of_factor(std::size_t i) {
  return i * (i + 1) / 2;
}

}  // namespace

void SparseMap::begin(const StructureOracle& oracle, std::span<const double> scores) {
  oracle_ = &oracle;
  scores_ = scores;
  words_ = (oracle.parts() + 63) / 64;
  extras_ = oracle.extra_scores().size();
  found_.resize(words_);
  found_counts_.resize(extras_);
  mu_.resize(oracle.parts());
  reduced_.resize(oracle.parts());
  calls_ = 0;
}

void SparseMap::solve(const StructureOracle& oracle, std::span<const double> scores) {
  begin(oracle, scores);
  for (auto* numbers :
       {&counts_, &weights_, &member_scores_, &factor_, &lower_scores_, &lower_ones_}) {
    numbers->clear();
  }
  bits_.clear();
  ask(scores);
  reference_ = found_;
  reference_counts_ = found_counts_;
  find_distance();
  append(1);
  run();
}

void SparseMap::solve_warm(const StructureOracle& oracle, std::span<const double> scores) {
  const bool fits = mu_.size() == oracle.parts() && extras_ == oracle.extra_scores().size();
  if (members() == 0 || !fits) return solve(oracle, scores);
  begin(oracle, scores);
  const PartBitsView first = member(0);
  reference_.assign(first.begin(), first.end());
  const std::span<const double> first_counts = row(counts_, 0, extras_);
  reference_counts_.assign(first_counts.begin(), first_counts.end());
  for (std::size_t a = 0; a < members(); ++a) {
    member_scores_[a] = relative_score(scores_, member(a), row(counts_, a, extras_));
  }
  lower_scores_ = member_scores_;
  solve_lower(lower_scores_);
  run();
}

void SparseMap::run() {
  const std::size_t most = 10 * (oracle_->parts() + 1);
  for (std::size_t round = 0; settle() && round < most; ++round) {
    find_expectation();
    for (std::size_t i = 0; i < mu_.size(); ++i) reduced_[i] = scores_[i] - mu_[i];
    ask(reduced_);
    double found_mu = 0, largest_score = 1;
    for_each_part(found_, [&](std::size_t part) { found_mu += mu_[part]; });
    for (const double score : member_scores_) {
      largest_score = std::max(largest_score, std::abs(score));
    }
    gap_ = relative_score(scores_, found_, found_counts_) - found_mu - tau_;
    if (gap_ <= 1e-12 * largest_score || is_member() || !enter()) break;
  }
  for (std::size_t a = members(); a-- > 0;) {
    if (weights_[a] <= 1e-12 && members() > 1) remove(a);
  }
  find_expectation();
  refine();
  gap_ = std::max(gap_, 0.0);
}

// Rotations leave their rounding in the factor, and sums over many parts theirs in the scores of
// members. Less the expectation, scores add up to the residual of K p = scores - tau 1, in small
// numbers: solving for it once more takes the error away (1,000 equal scores: from 1e-14 to 1e-16).
void SparseMap::refine() {
  double total = 0, ones_work = 0, ones_ones = 0;
  for (const double weight : weights_) total += weight;
  for (std::size_t i = 0; i < mu_.size(); ++i) reduced_[i] = scores_[i] - mu_[i];
  work_.resize(members());
  for (std::size_t a = 0; a < members(); ++a) {
    work_[a] = relative_score(reduced_, member(a), row(counts_, a, extras_));
  }
  const double first = work_[0];
  for (double& value : work_) value -= first;
  solve_lower(work_);
  for (std::size_t a = 0; a < members(); ++a) {
    ones_work += lower_ones_[a] * work_[a];
    ones_ones += lower_ones_[a] * lower_ones_[a];
  }
  const double shift = (ones_work - (1 - total)) / ones_ones;
  for (std::size_t a = 0; a < members(); ++a) work_[a] -= shift * lower_ones_[a];
  solve_upper(work_);
  for (std::size_t a = 0; a < members(); ++a) {
    // Where scores are so large that the residual is their rounding, the weights stay.
    if (!(std::abs(work_[a]) < 1e-6) || !(weights_[a] + work_[a] > 0)) return;
  }
  for (std::size_t a = 0; a < members(); ++a) weights_[a] += work_[a];
  find_expectation();
}

void SparseMap::ask(std::span<const double> scores) {
  ++calls_;
  std::fill(found_.begin(), found_.end(), 0);
  oracle_->best(scores, found_);
  std::fill(found_counts_.begin(), found_counts_.end(), 0.0);
  oracle_->count_extras(found_, found_counts_);
}

// Only differences of scores matter, and taken part by part they keep their digits where the scores
// are large.
double SparseMap::relative_score(std::span<const double> scores, PartBitsView bits,
                                 std::span<const double> extras) const {
  double sum = 0;
  for (std::size_t w = 0; w < words_; ++w) {
    for (std::uint64_t rest = bits[w] ^ reference_[w]; rest != 0; rest &= rest - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(rest));
      sum += (bits[w] >> bit & 1) != 0 ? scores[64 * w + bit] : -scores[64 * w + bit];
    }
  }
  const std::span<const double> extra_scores = oracle_->extra_scores();
  for (std::size_t e = 0; e < extras_; ++e) {
    sum += extra_scores[e] * (extras[e] - reference_counts_[e]);
  }
  return sum;
}

// Moves the weights to the best ones of the members, K p = scores - tau 1, sum p = 1; on the way
// the first member that would go below zero leaves. False: nothing can move, since a structure that
// was taken in for a gap that is rounding leaves at once.
bool SparseMap::settle() {
  const std::size_t before = members();
  while (true) {
    const std::size_t k = members();
    double ones_scores = 0, ones_ones = 0;
    for (std::size_t a = 0; a < k; ++a) {
      ones_scores += lower_ones_[a] * lower_scores_[a];
      ones_ones += lower_ones_[a] * lower_ones_[a];
    }
    const double shift = (ones_scores - 1) / ones_ones;
    tau_ = shift + 1;
    target_.resize(k);
    for (std::size_t a = 0; a < k; ++a) target_[a] = lower_scores_[a] - shift * lower_ones_[a];
    solve_upper(target_);
    double length = 1;
    std::size_t blocking = k;
    for (std::size_t a = 0; a < k; ++a) {
      if (target_[a] >= 0) continue;
      const double reach = weights_[a] / (weights_[a] - target_[a]);
      if (reach < length || blocking == k) {
        length = reach;
        blocking = a;
      }
    }
    if (blocking == k) {
      std::copy(target_.begin(), target_.end(), weights_.begin());
      return true;
    }
    const bool stalls = before > 1 && k == before && blocking + 1 == k && !(length > 0);
    for (std::size_t a = 0; a < k; ++a) weights_[a] += length * (target_[a] - weights_[a]);
    remove(blocking);
    if (stalls) return false;
  }
}

void SparseMap::find_expectation() {
  std::fill(mu_.begin(), mu_.end(), 0.0);
  for (std::size_t a = 0; a < members(); ++a) {
    for_each_part(member(a), [&, p = weights_[a]](std::size_t part) { mu_[part] += p; });
  }
}

bool SparseMap::is_member() const {
  for (std::size_t a = 0; a < members(); ++a) {
    if (std::equal(found_.begin(), found_.end(), member(a).begin())) return true;
  }
  return false;
}

// Takes the structure that was found in. One that depends on the members (00 + 11 = 01 + 10) gets
// weight along the direction in which the penalty stays and the score rises, until one of them has
// none left and leaves. False: there is none to leave, which only rounding can bring about.
bool SparseMap::enter() {
  const std::size_t k = members();
  if (find_distance() > kDependent) {
    append(0);
    return true;
  }
  solve_upper(work_);  // minus the direction
  double length = 0;
  std::size_t blocking = k;
  for (std::size_t a = 0; a < k; ++a) {
    if (work_[a] <= kDependent) continue;
    const double reach = weights_[a] / work_[a];
    if (blocking == k || reach < length) {
      length = reach;
      blocking = a;
    }
  }
  if (blocking == k) return false;
  for (std::size_t a = 0; a < k; ++a) weights_[a] -= length * work_[a];
  remove(blocking);
  if (!(find_distance() > kDependent)) return false;
  append(length);
  return true;
}

// The squared distance of the structure that was found from the members' affine hull, and in work_
// its row of the factor.
double SparseMap::find_distance() {
  work_.resize(members());
  for (std::size_t a = 0; a < members(); ++a) {
    work_[a] = parts_in_common(found_, member(a)) + 1;
  }
  solve_lower(work_);
  distance_ = parts_in_common(found_, found_) + 1;
  for (const double value : work_) distance_ -= value * value;
  return distance_;
}

// The structure that was found, and whose distance was, becomes the last member.
void SparseMap::append(double weight) {
  const double score = relative_score(scores_, found_, found_counts_);
  double lower_score = score, lower_one = 1;
  for (std::size_t a = 0; a < members(); ++a) {
    lower_score -= work_[a] * lower_scores_[a];
    lower_one -= work_[a] * lower_ones_[a];
  }
  const double diagonal = std::sqrt(distance_);
  factor_.insert(factor_.end(), work_.begin(), work_.end());
  factor_.push_back(diagonal);
  lower_scores_.push_back(lower_score / diagonal);
  lower_ones_.push_back(lower_one / diagonal);
  bits_.insert(bits_.end(), found_.begin(), found_.end());
  counts_.insert(counts_.end(), found_counts_.begin(), found_counts_.end());
  member_scores_.push_back(score);
  weights_.push_back(weight);
}

// Without row a the factor has one column too many from there on: rotations of neighbouring columns
// take it away, and turn what was solved with it alike, O(members^2).
void SparseMap::remove(std::size_t a) {
  const std::size_t k = members();
  cosines_.resize(k);
  sines_.resize(k);
  const auto turn = [&](std::size_t j, double& left, double& right) {
    const double l = left, r = right;
    left = cosines_[j] * l + sines_[j] * r;
    right = cosines_[j] * r - sines_[j] * l;
  };
  for (std::size_t i = a + 1; i < k; ++i) {
    double* const line = factor_.data() + row_of_factor(i);
    for (std::size_t j = a; j + 1 < i; ++j) turn(j, line[j], line[j + 1]);
    const double length = std::hypot(line[i - 1], line[i]);
    cosines_[i - 1] = line[i - 1] / length;
    sines_[i - 1] = line[i] / length;
    line[i - 1] = length;
    std::copy(line, line + i, factor_.data() + row_of_factor(i - 1));
  }
  for (std::size_t j = a; j + 1 < k; ++j) {
    turn(j, lower_scores_[j], lower_scores_[j + 1]);
    turn(j, lower_ones_[j], lower_ones_[j + 1]);
  }
  factor_.resize(row_of_factor(k - 1));
  lower_scores_.pop_back();
  lower_ones_.pop_back();
  erase_row(bits_, a, words_);
  erase_row(counts_, a, extras_);
  erase_row(member_scores_, a, 1);
  erase_row(weights_, a, 1);
}

void SparseMap::solve_lower(std::span<double> x) const {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double* const line = factor_.data() + row_of_factor(i);
    double sums[4] = {};  // apart, so that no addition waits for the one before
    std::size_t j = 0;
    for (; j + 4 <= i; j += 4) {
      for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += line[j + lane] * x[j + lane];
    }
    for (; j < i; ++j) sums[0] += line[j] * x[j];
    x[i] = (x[i] - ((sums[0] + sums[1]) + (sums[2] + sums[3]))) / line[i];
  }
}

void SparseMap::solve_upper(std::span<double> x) const {
  for (std::size_t i = x.size(); i-- > 0;) {
    const double* const line = factor_.data() + row_of_factor(i);
    x[i] /= line[i];
    for (std::size_t j = 0; j < i; ++j) x[j] -= line[j] * x[i];
  }
}

double SparseMap::maximum() const {
  double reference = 0, sum = 0;
  for_each_part(reference_, [&](std::size_t part) { reference += scores_[part]; });
  for (std::size_t e = 0; e < extras_; ++e) {
    reference += oracle_->extra_scores()[e] * reference_counts_[e];
  }
  for (std::size_t a = 0; a < members(); ++a) sum += weights_[a] * member_scores_[a];
  double square = 0;
  for (const double mu : mu_) square += mu * mu;
  return reference + sum - square / 2;
}

void SparseMap::backward(std::span<const double> upstream, std::span<double> d_scores,
                         std::span<double> d_extras) {
  target_.assign(members(), 0.0);
  for (std::size_t a = 0; a < members(); ++a) {
    for_each_part(member(a), [&](std::size_t part) { target_[a] += upstream[part]; });
  }
  reduced_.assign(target_.begin(), target_.end());
  weights_backward(reduced_, d_scores, d_extras);
}

// As members stay, p = K^-1 (scores - tau 1) with tau such that p adds up to one.
void SparseMap::weights_backward(std::span<const double> upstream, std::span<double> d_scores,
                                 std::span<double> d_extras) {
  target_.assign(upstream.begin(), upstream.end());
  solve_lower(target_);
  double ones_target = 0, ones_ones = 0;
  for (std::size_t a = 0; a < members(); ++a) {
    ones_target += lower_ones_[a] * target_[a];
    ones_ones += lower_ones_[a] * lower_ones_[a];
  }
  for (std::size_t a = 0; a < members(); ++a) {
    target_[a] -= ones_target / ones_ones * lower_ones_[a];
  }
  solve_upper(target_);
  std::fill(d_scores.begin(), d_scores.end(), 0.0);
  std::fill(d_extras.begin(), d_extras.end(), 0.0);
  for (std::size_t a = 0; a < members(); ++a) {
    for_each_part(member(a), [&](std::size_t part) { d_scores[part] += target_[a]; });
    const std::span<const double> counts = row(counts_, a, extras_);
    for (std::size_t e = 0; e < d_extras.size(); ++e) d_extras[e] += target_[a] * counts[e];
  }
}

}  // namespace heed::attention
