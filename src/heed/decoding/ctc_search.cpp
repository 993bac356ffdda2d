// SPDX-License-Identifier: Apache-2.0
// Prefixes as a tree, each with the chance of paths that end in a blank and of those that do not.
#include "heed/decoding/ctc_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::decoding {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

double log_of_sum(double a, double b) {
  const double top = std::max(a, b);
  return top == kImpossible ? top : top + std::log1p(std::exp(std::min(a, b) - top));
}

Tensor log_chances(const char* name, const Tensor& logits, std::int32_t blank) {
  if (logits.rank() != 2 || blank < 0 || blank >= logits.size(1)) {
    throw UsageError("{}: logits {} with the blank {}; it takes [T,C] and a symbol below C", name,
                     logits.shape().text(), blank);
  }
  const NoGradient values_only;
  return log_softmax(Variable(logits)).value().packed();
}

// The labels of a search, each prefix once: a prefix is its parent's and one label more.
class PrefixTree {
 public:
  static constexpr std::size_t kEmpty = 0;

  std::size_t longer(std::size_t prefix, std::int32_t label) {
    const auto [found, is_new] = children_.try_emplace({prefix, label}, nodes_.size());
    if (is_new) nodes_.push_back({prefix, label});
    return found->second;
  }
  // -1 for the empty prefix.
  std::int32_t last(std::size_t prefix) const { return nodes_[prefix].label; }
  std::vector<std::int32_t> labels(std::size_t prefix) const {
    std::vector<std::int32_t> labels;
    for (; prefix != kEmpty; prefix = nodes_[prefix].parent) labels.push_back(nodes_[prefix].label);
    std::ranges::reverse(labels);
    return labels;
  }

 private:
  struct Node {
    std::size_t parent;
    std::int32_t label;
  };
  std::vector<Node> nodes_ = {{kEmpty, -1}};
  std::map<std::pair<std::size_t, std::int32_t>, std::size_t> children_;
};

struct PrefixChance {
  double blank = kImpossible;  // of paths that end in a blank
  double label = kImpossible;  // of paths that end in the last label

  double all() const { return log_of_sum(blank, label); }
};

using Prefixes = std::map<std::size_t, PrefixChance>;

// Of equal ones those that were found first.
std::vector<std::pair<double, std::size_t>> likeliest(const Prefixes& prefixes,
                                                      std::int64_t count) {
  std::vector<std::pair<double, std::size_t>> order;
  for (const auto& [prefix, chance] : prefixes) order.emplace_back(-chance.all(), prefix);
  const auto kept = std::min(order.size(), static_cast<std::size_t>(count));
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end());
  order.resize(kept);
  return order;
}

}  // namespace

Labelling ctc_best_path(const Tensor& logits, std::int32_t blank) {
  const Tensor y = log_chances("ctc_best_path", logits, blank);
  const auto symbols = y.size(1);
  Labelling found;
  std::int32_t before = blank;
  for (std::int64_t t = 0; t < y.size(0); ++t) {
    const Real* const frame = y.data() + t * symbols;
    const Real* const best = std::max_element(frame, frame + symbols);
    const auto symbol = static_cast<std::int32_t>(best - frame);
    found.log_probability += static_cast<double>(*best);
    if (symbol != blank && symbol != before) found.labels.push_back(symbol);
    before = symbol;
  }
  return found;
}

// Viterbi: the recursion of the loss with the largest for the sum.
std::vector<std::int64_t> ctc_likeliest_places(const Tensor& logits,
                                               const std::vector<std::int32_t>& labels,
                                               std::int32_t blank) {
  const Tensor y = log_chances("ctc_likeliest_places", logits, blank);
  const std::int64_t frames = y.size(0), places = 2 * std::ssize(labels) + 1;
  for (const std::int32_t label : labels) {
    if (label < 0 || label >= y.size(1) || label == blank) {
      throw UsageError("ctc_likeliest_places: label {}; labels are below {} and not the blank, {}",
                       label, y.size(1), blank);
    }
  }
  if (frames == 0) return {};
  const auto symbol = [&](std::int64_t place) {
    return place % 2 == 0 ? blank : labels[static_cast<std::size_t>(place / 2)];
  };
  std::vector<double> best(static_cast<std::size_t>(places), kImpossible);
  std::vector<std::int64_t> came(static_cast<std::size_t>(frames * places), 0);  // from where
  for (std::int64_t t = 0; t < frames; ++t) {
    std::vector<double> next(best.size(), kImpossible);
    for (std::int64_t place = 0; place < places; ++place) {
      const auto at = static_cast<std::size_t>(place);
      double before = t == 0 && place < 2 ? 0 : kImpossible;
      const bool skips = place > 1 && place % 2 == 1 && symbol(place) != symbol(place - 2);
      for (std::int64_t back = 0; t > 0 && back <= std::min<std::int64_t>(place, skips ? 2 : 1);
           ++back) {
        if (best[at - static_cast<std::size_t>(back)] <= before) continue;
        before = best[at - static_cast<std::size_t>(back)];
        came[static_cast<std::size_t>(t * places + place)] = place - back;
      }
      next[at] = before + static_cast<double>(y.at({t, symbol(place)}));
    }
    best = std::move(next);
  }
  std::int64_t place = places - 1;
  if (places > 1 && best[best.size() - 2] > best.back()) --place;
  if (best[static_cast<std::size_t>(place)] == kImpossible) return {};
  std::vector<std::int64_t> path(static_cast<std::size_t>(frames));
  for (std::int64_t t = frames - 1; t >= 0; --t) {
    path[static_cast<std::size_t>(t)] = place;
    place = came[static_cast<std::size_t>(t * places + place)];
  }
  return path;
}

std::vector<Labelling> ctc_prefix_beam(const Tensor& logits, const PrefixBeamOptions& options) {
  if (options.width < 1 || options.best < 1) {
    throw UsageError("ctc_prefix_beam: a width of {} for the best {}; both take 1 or more",
                     options.width, options.best);
  }
  const Tensor y = log_chances("ctc_prefix_beam", logits, options.blank);
  PrefixTree tree;
  Prefixes beam = {{PrefixTree::kEmpty, {.blank = 0}}};
  for (std::int64_t t = 0; t < y.size(0); ++t) {
    const Real* const frame = y.data() + t * y.size(1);
    Prefixes next;
    for (const auto& [prefix, chance] : beam) {
      const double all = chance.all();
      for (std::int32_t symbol = 0; symbol < y.size(1); ++symbol) {
        const auto log_chance = static_cast<double>(frame[symbol]);
        if (log_chance == kImpossible) continue;
        if (symbol == options.blank) {
          double& mine = next[prefix].blank;
          mine = log_of_sum(mine, all + log_chance);
          continue;
        }
        // A label that is there already goes on, or comes again after a blank.
        const bool repeats = symbol == tree.last(prefix);
        if (repeats) {
          double& mine = next[prefix].label;
          mine = log_of_sum(mine, chance.label + log_chance);
        }
        const double before = repeats ? chance.blank : all;
        if (before == kImpossible) continue;
        double& longer = next[tree.longer(prefix, symbol)].label;
        longer = log_of_sum(longer, before + log_chance);
      }
    }
    beam.clear();
    for (const auto& [cost, prefix] : likeliest(next, options.width)) beam[prefix] = next[prefix];
  }
  std::vector<Labelling> best;
  for (const auto& [cost, prefix] : likeliest(beam, options.best)) {
    best.push_back({tree.labels(prefix), -cost});
  }
  return best;
}

}  // namespace heed::decoding
