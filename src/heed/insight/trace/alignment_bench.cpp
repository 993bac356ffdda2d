// SPDX-License-Identifier: Apache-2.0
// Weights of one head or many, links of words, counts over all examples.
#include "heed/insight/trace/alignment_bench.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/decoding/alignment.h"

namespace heed::insight {
namespace {

enum class Together { one, mean, largest };

struct Choice {
  AlignedLook look{};
  Together together = Together::one;
};

const AttentionSet& set_of(const TracedExample& example, std::size_t number,
                           const std::string& kind) {
  const auto found = std::ranges::find(example.attentions, kind, &AttentionSet::kind);
  if (found != example.attentions.end()) return *found;
  std::vector<std::string> kinds;
  for (const AttentionSet& set : example.attentions) kinds.push_back(set.kind);
  throw UsageError("alignments: example {} has no attention \"{}\"; it has {}{}", number + 1, kind,
                   kinds.empty() ? "no attention" : join(kinds, ", "), did_you_mean(kind, kinds));
}

// Every head, then heads together.
std::vector<Choice> choices(const AttentionSet& set) {
  std::vector<Choice> all;
  std::vector<int> layers;
  for (const TracedHead& head : set.heads) {
    all.push_back({{.name = fmt::format("layer {} head {}", head.layer, head.head),
                    .layer = head.layer,
                    .head = head.head}});
    if (layers.empty() || layers.back() != head.layer) layers.push_back(head.layer);
  }
  for (const int layer : layers) {
    if (std::ranges::count(set.heads, layer, &TracedHead::layer) < 2) continue;
    all.push_back({{.name = fmt::format("layer {} mean", layer), .layer = layer}, Together::mean});
    all.push_back(
        {{.name = fmt::format("layer {} max", layer), .layer = layer}, Together::largest});
  }
  if (layers.size() > 1) {
    all.push_back({{.name = "all mean"}, Together::mean});
    all.push_back({{.name = "all max"}, Together::largest});
  }
  return all;
}

// The weights [Q,K] of the chosen heads as one; what is masked counts as 0.
Tensor weights_of(const AttentionSet& set, const Choice& choice) {
  Tensor found;
  Real count = 0;
  for (const TracedHead& head : set.heads) {
    if (choice.look.layer && head.layer != *choice.look.layer) continue;
    if (choice.look.head && head.head != *choice.look.head) continue;
    if (!found.defined()) found = Tensor::zeros(head.weights.shape());
    ++count;
    const Tensor weights = head.weights.packed();
    Real* out = found.mutable_data();
    for (std::int64_t i = 0; i < weights.size(); ++i) {
      const Real share = attention::share_of(weights.data()[i]);
      out[i] = choice.together == Together::largest ? std::max(out[i], share) : out[i] + share;
    }
  }
  if (choice.together == Together::mean) {
    for (Real& weight : std::span(found.mutable_data(), static_cast<std::size_t>(found.size()))) {
      weight /= count;
    }
  }
  return found;
}

// Words of a strip, one per token.
std::vector<int> words_of(const TokenStrip& strip) {
  if (!strip.words.empty()) return strip.words;
  std::vector<int> words;
  for (std::size_t i = 0; i < strip.tokens.size(); ++i) words.push_back(static_cast<int>(i));
  return words;
}

// Links of words; row `shift` is the first target token's.
text::Alignment links_of(const Tensor& weights, const std::vector<int>& sources,
                         const std::vector<int>& targets, int shift) {
  std::vector<text::Link> links;
  for (const text::Link& link : decoding::token_links(weights)) {
    const int token = link.target - shift;
    if (token < 0) continue;
    const int source = sources[static_cast<std::size_t>(link.source)];
    const int target = targets[static_cast<std::size_t>(token)];
    // A row without a weight looks nowhere.
    if (source < 0 || target < 0 || weights.at({link.target, link.source}) <= 0) continue;
    links.push_back({source, target});
  }
  return text::ordered(std::move(links));
}

bool same_heads(const AttentionSet& a, const AttentionSet& b) {
  return std::ranges::equal(a.heads, b.heads, [](const TracedHead& x, const TracedHead& y) {
    return x.layer == y.layer && x.head == y.head;
  });
}

void add(AttentionQuality& sum, const AttentionQuality& one, double count) {
  sum.coverage += one.coverage / count;
  sum.deviation += one.deviation / count;
  sum.target_dispersion += one.target_dispersion / count;
  sum.source_dispersion += one.source_dispersion / count;
}

const AlignedLook& lowest(const std::vector<AlignedLook>& looks, bool heads_only) {
  const AlignedLook* best = nullptr;
  for (const AlignedLook& look : looks) {
    if (heads_only && !look.head) continue;
    if (best == nullptr || look.score.error_rate() < best->score.error_rate()) best = &look;
  }
  if (best == nullptr) throw UsageError("alignments: there is no head");
  return *best;
}

}  // namespace

const AlignedLook& AlignmentBench::best_head() const {
  return lowest(looks, true);
}

const AlignedLook& AlignmentBench::best() const {
  return lowest(looks, false);
}

AlignmentBench alignment_bench(const TraceDocument& document, std::span<const text::Alignment> gold,
                               const std::string& kind) {
  if (document.examples.empty()) throw UsageError("alignments: the trace has no example");
  if (gold.size() != document.examples.size()) {
    throw UsageError("alignments: {} examples and {} gold alignments; give one for each",
                     document.examples.size(), gold.size());
  }
  AlignmentBench bench{.model = document.model, .examples = document.examples.size()};
  const AttentionSet& first = set_of(document.examples.front(), 0, kind);
  for (const Choice& choice : choices(first)) {
    AlignedLook& look = bench.looks.emplace_back(choice.look);
    std::vector<text::Alignment> wrote;
    std::vector<text::Alignment> read;
    bool stepwise = true;
    for (std::size_t i = 0; i < document.examples.size(); ++i) {
      const TracedExample& example = document.examples[i];
      const AttentionSet& set = set_of(example, i, kind);
      if (!same_heads(set, first)) {
        throw UsageError("alignments: example {} has other heads than example 1", i + 1);
      }
      const std::vector<int> sources = words_of(strip_of(example, set.keys));
      const std::vector<int> targets = words_of(strip_of(example, set.queries));
      const Tensor weights = weights_of(set, choice);
      wrote.push_back(links_of(weights, sources, targets, 0));
      read.push_back(links_of(weights, sources, targets, 1));
      stepwise = stepwise && set.stepwise;
      add(look.quality, attention_quality(weights), static_cast<double>(bench.examples));
    }
    look.wrote = look.score = metrics::alignment_score(wrote, gold);
    if (!stepwise) continue;
    look.read = metrics::alignment_score(read, gold);
    if (look.read->error_rate() < look.wrote.error_rate()) {
      look.query = TokenQuery::read;
      look.score = *look.read;
    }
  }
  return bench;
}

std::string alignment_table(std::span<const AlignmentBench> systems) {
  std::size_t width = 9;
  for (const AlignmentBench& bench : systems) {
    for (const AlignedLook& look : bench.looks) width = std::max(width, look.name.size());
  }
  std::string table;
  for (const AlignmentBench& bench : systems) {
    table += fmt::format("{}{} example{}\n", bench.model.empty() ? "" : bench.model + ", ",
                         bench.examples, bench.examples == 1 ? "" : "s");
    table += fmt::format("  {:<{}}  AER wrote   read  precision  recall  coverage  confidence\n",
                         "attention", width);
    for (const AlignedLook& look : bench.looks) {
      table += fmt::format(
          "{} {:<{}}  {:>9.3f}  {:>5}  {:>9.3f}  {:>6.3f}  {:>8.3f}  {:>10.3f}\n",
          &look == &bench.best() ? "*" : " ", look.name, width, look.wrote.error_rate(),
          look.read ? fmt::format("{:.3f}", look.read->error_rate()) : "-", look.score.precision(),
          look.score.recall(), look.quality.coverage, look.quality.confidence());
    }
    const AlignedLook& head = bench.best_head();
    table += fmt::format(
        "best head: {}, alignment error rate {:.3f}, by the query that {} a token\n", head.name,
        head.score.error_rate(), head.query == TokenQuery::wrote ? "wrote" : "has read");
  }
  if (systems.size() < 2) return table;
  table += fmt::format("\n{:<20}  {:<{}}  AER    precision  recall  coverage  confidence\n",
                       "system", "best", width);
  for (const AlignmentBench& bench : systems) {
    const AlignedLook& best = bench.best();
    table += fmt::format("{:<20}  {:<{}}  {:.3f}  {:>9.3f}  {:>6.3f}  {:>8.3f}  {:>10.3f}\n",
                         shorten(bench.model, 20), best.name, width, best.score.error_rate(),
                         best.score.precision(), best.score.recall(), best.quality.coverage,
                         best.quality.confidence());
  }
  return table;
}

}  // namespace heed::insight
