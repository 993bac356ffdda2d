// SPDX-License-Identifier: Apache-2.0
// Each word takes its best head; a circle of words becomes one word that chooses where to open it,
// until there is none.
#include "heed/attention/normalisers/best_any_tree.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace heed::attention {
namespace {

// What an arc is worth. With one root, arcs from it are counted apart: a tree with fewer roots is
// better than any with more, however scores lie, and no large number takes digits from them.
struct Worth {
  std::int32_t roots = 0;
  double score = 0;

  friend Worth operator-(const Worth& a, const Worth& b) {
    return {a.roots - b.roots, a.score - b.score};
  }
  friend bool operator==(const Worth& a, const Worth& b) = default;
  bool is_above(const Worth& other) const {
    return roots != other.roots ? roots < other.roots : score > other.score;
  }
};

// An arc between words or circles, and the words that it joins.
struct Arc {
  bool allowed = false;
  Worth worth = {};
  std::size_t head = 0, word = 0;
};

class Arborescence {
 public:
  // Words 0..n-1, circles from n on, at most n - 1 of them, and the root.
  Arborescence(std::span<const double> scores, std::size_t n, Roots roots)
      : n_(n), size_(2 * n), root_(size_ - 1), arcs_(size_ * size_), best_(size_), circle_(size_) {
    for (std::size_t d = 0; d < n; ++d) {
      active_.push_back(d);
      for (std::size_t h = 0; h < n; ++h) {
        const double score = scores[d * n + h];
        if (score == -std::numeric_limits<double>::infinity()) continue;
        const std::int32_t counted = h == d && roots == Roots::one ? 1 : 0;
        arc(d, h == d ? root_ : h) = {true, {counted, score}, h, d};
      }
    }
    std::ranges::fill(circle_, kNone);
  }

  std::optional<FoundStructure> found() {
    for (std::size_t next = n_;; ++next) {
      for (const std::size_t d : active_) {
        if (!choose(d)) return std::nullopt;
      }
      const std::vector<std::size_t> members = find_circle();
      if (members.empty()) break;
      contract(members, next);
    }
    expand();
    FoundStructure found{.tied = tied_};
    for (std::size_t d = 0; d < n_; ++d) {
      found.choices.push_back(static_cast<std::int32_t>(best_[d].head));
    }
    return found;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  Arc& arc(std::size_t d, std::size_t h) { return arcs_[d * size_ + h]; }

  void consider(Arc& best, const Arc& other) {
    if (!other.allowed) return;
    if (!best.allowed || other.worth.is_above(best.worth)) {
      best = other;
    } else if (other.worth == best.worth) {
      tied_ = true;
    }
  }
  // The best arc into d; false if there is none.
  bool choose(std::size_t d) {
    best_[d] = {};
    for (const std::size_t h : active_) {
      if (h != d) consider(best_[d], arc(d, h));
    }
    consider(best_[d], arc(d, root_));
    return best_[d].allowed;
  }
  bool hangs_on_root(std::size_t d) const { return best_[d].head == best_[d].word; }
  // The word or circle in which a word is by now.
  std::size_t outermost(std::size_t word) const {
    while (circle_[word] != kNone) word = circle_[word];
    return word;
  }

  std::vector<std::size_t> find_circle() const {
    std::vector<std::size_t> seen_from(size_, kNone);
    for (const std::size_t start : active_) {
      std::size_t now = start;
      while (seen_from[now] == kNone && !hangs_on_root(now)) {
        seen_from[now] = start;
        now = outermost(best_[now].head);
      }
      if (hangs_on_root(now) || seen_from[now] != start) continue;
      std::vector<std::size_t> members{now};
      for (std::size_t next = outermost(best_[now].head); next != now;
           next = outermost(best_[next].head)) {
        members.push_back(next);
      }
      return members;
    }
    return {};
  }

  void contract(const std::vector<std::size_t>& members, std::size_t circle) {
    std::erase_if(active_, [&](std::size_t d) { return std::ranges::count(members, d) > 0; });
    const auto enter_from = [&](std::size_t outside) {
      for (const std::size_t member : members) {
        Arc entering = arc(member, outside);
        entering.worth = entering.worth - best_[member].worth;
        consider(arc(circle, outside), entering);
      }
    };
    for (const std::size_t outside : active_) {
      enter_from(outside);
      for (const std::size_t member : members) consider(arc(outside, circle), arc(outside, member));
    }
    enter_from(root_);
    for (const std::size_t member : members) circle_[member] = circle;
    active_.push_back(circle);
    circles_.push_back(circle);
  }

  // Opens the circles, the last first: the member that is entered gives up its arc of the circle.
  void expand() {
    while (!circles_.empty()) {
      const std::size_t circle = circles_.back();
      circles_.pop_back();
      std::size_t entered = best_[circle].word;
      while (circle_[entered] != circle) entered = circle_[entered];
      best_[entered] = best_[circle];
    }
  }

  std::size_t n_, size_, root_;
  std::vector<Arc> arcs_;             // [to, from]
  std::vector<Arc> best_;             // into each
  std::vector<std::size_t> circle_;   // that each is a member of
  std::vector<std::size_t> active_;   // in no circle
  std::vector<std::size_t> circles_;  // in the order they were made
  bool tied_ = false;
};

}  // namespace

std::optional<FoundStructure> best_any_tree(std::span<const double> scores, std::size_t n,
                                            Roots roots) {
  if (n == 0) return FoundStructure{};
  std::optional<FoundStructure> found = Arborescence(scores, n, roots).found();
  if (!found || roots == Roots::many) return found;
  std::size_t count = 0;
  for (std::size_t d = 0; d < n; ++d) count += found->choices[d] == static_cast<int>(d) ? 1 : 0;
  if (count > 1) return std::nullopt;
  return found;
}

}  // namespace heed::attention
