// SPDX-License-Identifier: Apache-2.0
// Every section of an audit, text by text.
#include "heed/explain/attention_audit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/explain/adversarial_attention.h"
#include "heed/metrics/average_precision.h"
#include "heed/metrics/rank_correlation.h"

namespace heed::explain {
namespace {

using Values = std::vector<double>;
using Places = std::vector<std::size_t>;

std::size_t answer_of(const Values& probabilities) {
  return static_cast<std::size_t>(std::ranges::max_element(probabilities) - probabilities.begin());
}

AuditMean mean_of(const Values& values, std::int64_t undefined) {
  AuditMean mean{.texts = static_cast<std::int64_t>(values.size()), .undefined = undefined};
  if (values.empty()) return mean;
  const auto count = static_cast<double>(values.size());
  mean.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  for (const double value : values) {
    mean.deviation += (value - mean.mean) * (value - mean.mean) / count;
  }
  mean.deviation = std::sqrt(mean.deviation);
  return mean;
}

// Without these words, the weights of the others scaled up; all zero where nothing is left.
Values erased(const Values& weights, std::span<const std::size_t> words) {
  Values rest = weights;
  for (const std::size_t word : words) rest[word] = 0;
  const double sum = std::accumulate(rest.begin(), rest.end(), 0.0);
  if (sum > 0) {
    for (double& weight : rest) weight /= sum;
  }
  return rest;
}

// By falling value; of equal ones the first word first.
Places falling(const Values& values) {
  Places places(values.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, std::greater(), [&](std::size_t t) { return values[t]; });
  return places;
}

Places shuffled(std::size_t size, Random& random) {
  Places places(size);
  std::iota(places.begin(), places.end(), std::size_t{0});
  random.shuffle(places);
  return places;
}

// The share of the words that are erased, in this order, when the answer changes; above 1: never.
double first_flip(const AuditedAttention& text, std::size_t answer, const Places& order) {
  const std::size_t size = text.weights.size();
  for (std::size_t count = 1; count < size; ++count) {
    const Values left = erased(text.weights, std::span(order).first(count));
    if (answer_of(text.probabilities(left)) != answer) {
      return static_cast<double>(count) / static_cast<double>(size);
    }
  }
  return 2;
}

// dp_answer/dweight_t = p_a (s_a - sum over classes of p_c s_c).
Values slope_of(const AuditedAttention& text, std::size_t answer, const Values& probabilities) {
  Values slope(text.weights.size());
  for (std::size_t t = 0; t < slope.size(); ++t) {
    double mean = 0;
    for (std::size_t c = 0; c < probabilities.size(); ++c) {
      mean += probabilities[c] * text.scores[c][t];
    }
    slope[t] = probabilities[answer] * (text.scores[answer][t] - mean);
  }
  return slope;
}

// Of two classes: how far weights can be whose log-odds keep the probability within epsilon, any
// and the text's own dealt otherwise.
std::optional<std::pair<double, double>> farthest(const AuditedAttention& text, std::size_t answer,
                                                  double p, const AuditOptions& options) {
  if (text.constants.size() != 2) return std::nullopt;
  Values odds(text.weights.size());
  for (std::size_t t = 0; t < odds.size(); ++t) {
    odds[t] = text.scores[answer][t] - text.scores[1 - answer][t];
  }
  const double constant = text.constants[answer] - text.constants[1 - answer];
  const auto limit = [&](double probability) {
    const double inside = std::clamp(probability, 1e-300, 1 - 1e-16);
    return std::log(inside / (1 - inside)) - constant;
  };
  const double low = limit(p - options.epsilon), high = limit(p + options.epsilon);
  const std::optional<Adversary> found = farthest_weights(text.weights, odds, low, high);
  if (!found) return std::nullopt;
  return std::pair(found->divergence,
                   dealt_weights(text.weights, odds, low, high, {.seed = options.seed}).divergence);
}

constexpr const char* kRandomOrder = "a random order";

// How well shares find the words of `gold`: average precision, F1 and overlap of as many words as
// there are.
struct Finding {
  double precision = 0, f1 = 0, overlap = 0;
};
Finding finding(const Values& shares, const std::vector<bool>& gold) {
  const Places order = falling(shares);
  const auto wanted = static_cast<double>(std::ranges::count(gold, true));
  Finding found{.precision = *metrics::average_precision(shares, gold)};
  double right = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(wanted); ++i)
    right += gold[order[i]] ? 1 : 0;
  found.f1 = right / wanted;
  found.overlap = right / (2 * wanted - right);
  return found;
}

// Where four bins of texts by length begin, and the end.
std::vector<AuditLengths> length_bins(std::span<const AuditedAttention> texts) {
  std::vector<std::size_t> sizes;
  for (const AuditedAttention& text : texts) sizes.push_back(text.weights.size());
  std::ranges::sort(sizes);
  std::vector<AuditLengths> bins;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t low = i == 0 ? sizes.front() : sizes[sizes.size() * i / 4];
    if (!bins.empty() && bins.back().low == low) continue;
    if (!bins.empty()) bins.back().high = low;
    bins.push_back({low, sizes.back() + 1});
  }
  for (const std::size_t size : sizes) {
    for (AuditLengths& bin : bins) bin.texts += size >= bin.low && size < bin.high ? 1 : 0;
  }
  return bins;
}

class Auditor {
 public:
  Auditor(std::span<const AuditedAttention> texts, std::span<const std::string> others,
          const AuditOptions& options)
      : options_(options), random_(options.seed) {
    found_.lengths = length_bins(texts);
    std::size_t classes = 0;
    for (const AuditedAttention& text : texts) classes = std::max(classes, text.constants.size());
    const auto agreeing = [&](const std::string& name) {
      agreements_.push_back({.with = name});
      agreements_.back().by_class.resize(classes);
      agreements_.back().by_length.resize(found_.lengths.size());
    };
    orders_.emplace_back("attention");
    for (const std::string& name : others) agreeing(name);
    agreeing(kRandomOrder);
    orders_.insert(orders_.end(), others.begin(), others.end());
    orders_.emplace_back(kRandomOrder);
    comprehensive_.resize(orders_.size());
    sufficient_.resize(orders_.size());
    plausible_.resize(orders_.size());
    for (const char* order : {"attention", "random", "gradient", "gradient x attention",
                              "attention by sign of gradient"}) {
      erasures_.push_back({order});
    }
  }

  void add(const AuditedAttention& text) {
    const Values p = text.probabilities(text.weights);
    const std::size_t answer = answer_of(p), size = text.weights.size();
    ++found_.texts;
    AuditOfText& mine =
        found_.each.emplace_back(AuditOfText{.text = place_++,
                                             .answer = static_cast<std::int64_t>(answer),
                                             .probability = p[answer],
                                             .tau = std::nan("")});
    agree(text, answer, mine);
    permute(text, p);
    if (const auto divergences = farthest(text, answer, p[answer], options_)) {
      adversary_.push_back(divergences->first);
      dealt_.push_back(divergences->second);
    } else {
      ++no_adversary_;
    }
    remove(text);
    find_gold(text);
    const Values even(size, 1 / static_cast<double>(size));
    if (answer_of(text.probabilities(even)) == answer) ++kept_by_uniform_;
    if (size > 1) erase(text, answer, p);
  }

  AttentionAudit result() {
    for (Agreeing& one : agreements_) {
      const auto count = static_cast<double>(one.taus.size());
      AuditAgreement& mine = found_.agreements.emplace_back(
          AuditAgreement{one.with, mean_of(one.taus, one.undefined),
                         count > 0 ? one.significant / count : 0, mean_of(one.support, 0)});
      for (const Values& taus : one.by_class) mine.by_class.push_back(mean_of(taus, 0));
      for (const Values& taus : one.by_length) mine.by_length.push_back(mean_of(taus, 0));
    }
    for (std::size_t bin = 0; bin < changes_.size(); ++bin) {
      const double low = static_cast<double>(bin) / 4;
      found_.permutations.push_back({low, low + .25, mean_of(changes_[bin], 0)});
    }
    found_.adversary = mean_of(adversary_, no_adversary_);
    found_.dealt = mean_of(dealt_, no_adversary_);
    finish_removals();
    if (gold_texts_ > 0) {
      found_.evident = gold_share_ / gold_texts_;
      for (std::size_t i = 0; i < orders_.size(); ++i) {
        Plausible& one = plausible_[i];
        found_.plausibilities.push_back(
            {orders_[i], mean_of(one.precision, one.undefined), mean_of(one.f1, one.undefined),
             mean_of(one.overlap, 0).mean,
             metrics::average_precision(one.scaled, one.gold).value_or(0)});
      }
    }
    found_.uniform_keeps = kept_by_uniform_ / static_cast<double>(found_.texts);
    for (Erasing& one : erasures_) {
      const auto count = static_cast<double>(one.shares.size());
      found_.erasures.push_back(
          {one.order,
           mean_of(one.shares, found_.texts - static_cast<std::int64_t>(one.shares.size())),
           count > 0 ? one.never / count : 0});
    }
    return found_;
  }

 private:
  struct Agreeing {
    std::string with;
    Values taus = {};
    double significant = 0;
    std::int64_t undefined = 0;
    Values support = {};
    std::vector<Values> by_class = {}, by_length = {};
  };
  struct Plausible {
    Values precision = {}, f1 = {}, overlap = {}, scaled = {};
    std::vector<bool> gold = {};  // of `scaled`
    std::int64_t undefined = 0;
  };
  struct Erasing {
    std::string order;
    Values shares = {};
    double never = 0;
  };

  std::size_t bin_of(std::size_t size) const {
    std::size_t bin = 0;
    while (bin + 1 < found_.lengths.size() && size >= found_.lengths[bin].high) ++bin;
    return bin;
  }

  // What each order says of the words; empty: undefined.
  std::vector<Values> shares_of(const AuditedAttention& text) {
    std::vector<Values> all = {text.weights};
    for (const Values& other : text.others) {
      Values& mine = all.emplace_back();
      for (const double share : other) mine.push_back(std::abs(share));
    }
    Values& drawn = all.emplace_back();
    for (const std::size_t place : shuffled(text.weights.size(), random_)) {
      drawn.push_back(static_cast<double>(place));
    }
    return all;
  }

  void agree(const AuditedAttention& text, std::size_t answer, AuditOfText& mine) {
    for (std::size_t i = 0; i < agreements_.size(); ++i) {
      Values other;
      if (i < text.others.size()) {
        for (const double share : text.others[i]) other.push_back(std::abs(share));
      } else {
        for (const std::size_t place : shuffled(text.weights.size(), random_)) {
          other.push_back(static_cast<double>(place));
        }
      }
      const auto tau = other.empty() ? std::nullopt : metrics::kendall(text.weights, other);
      if (!tau) {
        ++agreements_[i].undefined;
        continue;
      }
      agreements_[i].taus.push_back(tau->tau);
      agreements_[i].significant += tau->p <= .05 ? 1 : 0;
      agreements_[i].by_class[answer].push_back(tau->tau);
      agreements_[i].by_length[bin_of(text.weights.size())].push_back(tau->tau);
      if (i == 0) mine.tau = tau->tau;
      agree_on_support(text, other, agreements_[i]);
    }
  }

  // Of sparse weights: the order of the words that are attended to at all.
  static void agree_on_support(const AuditedAttention& text, const Values& other, Agreeing& into) {
    Values weights, shares;
    for (std::size_t t = 0; t < other.size(); ++t) {
      if (!(text.weights[t] > 0)) continue;
      weights.push_back(text.weights[t]);
      shares.push_back(other[t]);
    }
    if (weights.size() == other.size()) return;
    if (const auto tau = metrics::kendall(weights, shares)) into.support.push_back(tau->tau);
  }

  void remove(const AuditedAttention& text) {
    for (std::size_t i = 0; i < text.without.size(); ++i) {
      comprehensive_[i].push_back(text.without[i]);
      sufficient_[i].push_back(text.alone[i]);
    }
  }

  void finish_removals() {
    if (comprehensive_.front().empty()) return;
    const auto curve = [](const std::vector<Values>& texts, std::vector<double>& by_share) {
      Values means;
      by_share.assign(kAuditShares.size(), 0);
      for (const Values& one : texts) {
        means.push_back(std::accumulate(one.begin(), one.end(), 0.0) /
                        static_cast<double>(one.size()));
        for (std::size_t s = 0; s < one.size(); ++s) {
          by_share[s] += one[s] / static_cast<double>(texts.size());
        }
      }
      return mean_of(means, 0);
    };
    for (std::size_t i = 0; i < orders_.size(); ++i) {
      AuditRemoval& mine = found_.removals.emplace_back(AuditRemoval{.order = orders_[i]});
      mine.mean_comprehensiveness = curve(comprehensive_[i], mine.comprehensiveness);
      mine.mean_sufficiency = curve(sufficient_[i], mine.sufficiency);
    }
  }

  void find_gold(const AuditedAttention& text) {
    const auto decide = static_cast<double>(std::ranges::count(text.gold, true));
    if (decide == 0) return;
    gold_share_ += decide / static_cast<double>(text.gold.size());
    ++gold_texts_;
    const std::vector<Values> shares = shares_of(text);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (shares[i].empty()) {
        ++plausible_[i].undefined;
        continue;
      }
      const Finding found = finding(shares[i], text.gold);
      plausible_[i].precision.push_back(found.precision);
      plausible_[i].f1.push_back(found.f1);
      plausible_[i].overlap.push_back(found.overlap >= .5 ? 1 : 0);
      const double largest = std::ranges::max(shares[i]);
      for (const double share : shares[i]) {
        plausible_[i].scaled.push_back(largest > 0 ? share / largest : 0);
      }
      plausible_[i].gold.insert(plausible_[i].gold.end(), text.gold.begin(), text.gold.end());
    }
  }

  void permute(const AuditedAttention& text, const Values& p) {
    Values changes;
    Values weights = text.weights;
    for (std::int64_t i = 0; i < options_.permutations; ++i) {
      random_.shuffle(weights);
      const Values moved = text.probabilities(weights);
      double change = 0;
      for (std::size_t c = 0; c < p.size(); ++c) change += std::abs(moved[c] - p[c]);
      changes.push_back(change / static_cast<double>(p.size()));
    }
    const auto middle = changes.begin() + static_cast<std::ptrdiff_t>(changes.size() / 2);
    std::ranges::nth_element(changes, middle);
    const auto bin = static_cast<std::size_t>(std::ranges::max(text.weights) * 4);
    changes_[std::min(bin, changes_.size() - 1)].push_back(*middle);
  }

  void erase(const AuditedAttention& text, std::size_t answer, const Values& p) {
    const std::size_t size = text.weights.size();
    const std::size_t top = falling(text.weights).front();
    const auto changes = [&](std::size_t word) {
      return answer_of(text.probabilities(erased(text.weights, std::span(&word, 1)))) != answer;
    };
    const std::size_t other = (top + 1 + random_.integer(size - 1)) % size;
    const bool by_top = changes(top), by_other = changes(other);
    ++(by_top ? (by_other ? found_.both : found_.only_top)
              : (by_other ? found_.only_random : found_.neither));

    const Values slope = slope_of(text, answer, p);
    Values product(size), by_sign(size);
    for (std::size_t t = 0; t < size; ++t) {
      product[t] = slope[t] * text.weights[t];
      by_sign[t] = slope[t] < 0 ? -text.weights[t] : text.weights[t];
    }
    const auto note = [&](std::size_t order, double share) {
      erasures_[order].never += share > 1 ? 1 : 0;
      erasures_[order].shares.push_back(std::min(share, 1.0));
    };
    note(0, first_flip(text, answer, falling(text.weights)));
    double sum = 0, never = 0;
    for (std::int64_t i = 0; i < options_.random_orders; ++i) {
      const double share = first_flip(text, answer, shuffled(size, random_));
      never += share > 1 ? 1 : 0;
      sum += std::min(share, 1.0);
    }
    const auto orders = static_cast<double>(options_.random_orders);
    erasures_[1].shares.push_back(sum / orders);
    erasures_[1].never += never / orders;
    note(2, first_flip(text, answer, falling(slope)));
    note(3, first_flip(text, answer, falling(product)));
    note(4, first_flip(text, answer, falling(by_sign)));
  }

  AuditOptions options_;
  Random random_;
  AttentionAudit found_;
  std::vector<Agreeing> agreements_;
  std::array<Values, 4> changes_;
  std::vector<std::string> orders_;
  std::vector<std::vector<Values>> comprehensive_, sufficient_;  // [orders][texts][shares]
  std::vector<Plausible> plausible_;
  double gold_share_ = 0, gold_texts_ = 0;
  std::size_t place_ = 0;
  Values adversary_, dealt_;
  std::int64_t no_adversary_ = 0;
  double kept_by_uniform_ = 0;
  std::vector<Erasing> erasures_;
};

void check(std::span<const AuditedAttention> texts, std::size_t others) {
  if (texts.empty()) throw UsageError("audit: no texts");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const AuditedAttention& text = texts[i];
    const std::size_t size = text.weights.size();
    const auto fits = [&](const Values& row) { return row.size() == size; };
    const bool others_fit =
        text.others.size() == others && std::ranges::all_of(text.others, [&](const Values& row) {
          return row.empty() || fits(row);
        });
    const auto curves_fit = [&](const std::vector<Values>& curves) {
      return curves.empty() ||
             (curves.size() == others + 2 && std::ranges::all_of(curves, [](const Values& one) {
                return one.size() == kAuditShares.size();
              }));
    };
    if (!curves_fit(text.without) || !curves_fit(text.alone) ||
        text.without.size() != text.alone.size() ||
        (!text.gold.empty() && text.gold.size() != size)) {
      throw UsageError(
          "audit: text {} has {} and {} curves of removal and {} marks of evidence; it takes {} "
          "curves of {} shares, and a mark for each of {} words, or none",
          i + 1, text.without.size(), text.alone.size(), text.gold.size(), others + 2,
          kAuditShares.size(), size);
    }
    if (size == 0 || text.constants.size() < 2 || text.scores.size() != text.constants.size() ||
        !std::ranges::all_of(text.scores, fits) || !others_fit) {
      throw UsageError(
          "audit: text {} has {} weights, {} classes, {} rows of scores and {} other explanations; "
          "it takes a weight and a score of every class for each word, two classes or more, and {} "
          "explanations",
          i + 1, size, text.constants.size(), text.scores.size(), text.others.size(), others);
    }
  }
}

}  // namespace

double AuditMean::interval() const {
  return texts > 1 ? 1.96 * deviation / std::sqrt(static_cast<double>(texts - 1)) : 0;
}

Values AuditedAttention::probabilities(std::span<const double> changed) const {
  Values logits = constants;
  for (std::size_t c = 0; c < logits.size(); ++c) {
    for (std::size_t t = 0; t < changed.size(); ++t) logits[c] += changed[t] * scores[c][t];
  }
  const double most = std::ranges::max(logits);
  double sum = 0;
  for (double& one : logits) sum += one = std::exp(one - most);
  for (double& one : logits) one /= sum;
  return logits;
}

void AuditOptions::declare(Options& options) {
  options.add("permutations", permutations, "shuffles of each text's weights").range(1, 100'000);
  options.add("epsilon", epsilon, "how far an adversary may move the probability of the answer")
      .range(0, 1);
  options.add("random-orders", random_orders, "in which words are erased, for the control")
      .range(1, 1000);
  options.add("seed", seed, "of shuffles and random orders");
}

AttentionAudit audit_attention(std::span<const AuditedAttention> texts,
                               std::span<const std::string> others, const AuditOptions& options,
                               const std::function<void()>& done) {
  check(texts, others.size());
  Auditor auditor(texts, others, options);
  for (const AuditedAttention& text : texts) {
    auditor.add(text);
    if (done) done();
  }
  return auditor.result();
}

}  // namespace heed::explain
