// SPDX-License-Identifier: Apache-2.0
// Eisner's chart with maxima for sums, and where each was found.
#include "heed/attention/normalisers/best_projective_tree.h"

#include <limits>
#include <vector>

namespace heed::attention {
namespace {

constexpr double kNoTree = -std::numeric_limits<double>::infinity();

// Spans of words, as the sums of tree_sums.h have them.
class BestSpans {
 public:
  BestSpans(std::span<const double> scores, std::size_t n, Roots roots)
      : scores_(scores), n_(n), roots_(roots), nodes_(roots == Roots::one ? n : n + 1) {
    for (std::vector<Item>* chart : {&right_, &left_, &between_}) chart->resize(nodes_ * nodes_);
  }

  std::optional<FoundStructure> found() {
    fill();
    FoundStructure found{.choices = std::vector<std::int32_t>(n_)};
    if (roots_ == Roots::many) {
      if (right_[at(0, n_)].best == kNoTree) return std::nullopt;
      follow_right(0, n_, found.choices);
    } else {
      Item top;
      for (std::size_t d = 0; d < n_; ++d) {
        consider(top, scores_[d * n_ + d] + left_[at(0, d)].best + right_[at(d, n_ - 1)].best, d);
      }
      if (top.best == kNoTree) return std::nullopt;
      found.choices[top.split] = static_cast<std::int32_t>(top.split);
      follow_left(0, top.split, found.choices);
      follow_right(top.split, n_ - 1, found.choices);
    }
    found.tied = tied_;
    return found;
  }

 private:
  struct Item {
    double best = kNoTree;
    std::size_t split = 0;
  };
  std::size_t at(std::size_t a, std::size_t b) const { return a * nodes_ + b; }
  void consider(Item& item, double score, std::size_t split) {
    if (score > item.best) {
      item = {score, split};
    } else if (score == item.best && score != kNoTree) {
      tied_ = true;
    }
  }
  // The cell of an arc between nodes, of which the first is the root where there may be many.
  std::size_t cell(std::size_t head, std::size_t node) const {
    if (roots_ == Roots::one) return node * n_ + head;
    return (node - 1) * n_ + (head == 0 ? node - 1 : head - 1);
  }
  double arc(std::size_t head, std::size_t node) const {
    return roots_ == Roots::many && node == 0 ? kNoTree : scores_[cell(head, node)];
  }
  double open_right(std::size_t a, std::size_t b) const {
    return arc(a, b) + between_[at(a, b)].best;
  }
  double open_left(std::size_t a, std::size_t b) const {
    return arc(b, a) + between_[at(a, b)].best;
  }

  void fill() {
    for (std::size_t a = 0; a < nodes_; ++a) right_[at(a, a)].best = left_[at(a, a)].best = 0;
    for (std::size_t width = 1; width < nodes_; ++width) {
      for (std::size_t a = 0; a + width < nodes_; ++a) {
        const std::size_t b = a + width;
        for (std::size_t m = a; m < b; ++m) {
          consider(between_[at(a, b)], right_[at(a, m)].best + left_[at(m + 1, b)].best, m);
        }
        for (std::size_t m = a + 1; m <= b; ++m) {
          consider(right_[at(a, b)], open_right(a, m) + right_[at(m, b)].best, m);
        }
        for (std::size_t m = a; m < b; ++m) {
          consider(left_[at(a, b)], left_[at(a, m)].best + open_left(m, b), m);
        }
      }
    }
  }

  void hang(std::size_t head, std::size_t node, std::vector<std::int32_t>& heads) const {
    const std::size_t found = cell(head, node);
    heads[found / n_] = static_cast<std::int32_t>(found % n_);
  }
  void follow_between(std::size_t a, std::size_t b, std::vector<std::int32_t>& heads) const {
    const std::size_t split = between_[at(a, b)].split;
    follow_right(a, split, heads);
    follow_left(split + 1, b, heads);
  }
  void follow_right(std::size_t a, std::size_t b, std::vector<std::int32_t>& heads) const {
    if (a == b) return;
    const std::size_t split = right_[at(a, b)].split;
    hang(a, split, heads);
    follow_between(a, split, heads);
    follow_right(split, b, heads);
  }
  void follow_left(std::size_t a, std::size_t b, std::vector<std::int32_t>& heads) const {
    if (a == b) return;
    const std::size_t split = left_[at(a, b)].split;
    hang(b, split, heads);
    follow_left(a, split, heads);
    follow_between(split, b, heads);
  }

  std::span<const double> scores_;
  std::size_t n_;
  Roots roots_;
  std::size_t nodes_;
  std::vector<Item> right_, left_, between_;
  bool tied_ = false;
};

}  // namespace

std::optional<FoundStructure> best_projective_tree(std::span<const double> scores, std::size_t n,
                                                   Roots roots) {
  if (n == 0) return FoundStructure{};
  return BestSpans(scores, n, roots).found();
}

}  // namespace heed::attention
