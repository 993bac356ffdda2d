// SPDX-License-Identifier: Apache-2.0
// Copies weights out of tensors, and writes them short.
#include "server/plain_trace.h"

#include <algorithm>
#include <cmath>

#include "server/http_error.h"

namespace heed::server {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostWeights = 1 << 20;

bool chosen(const std::vector<int>& wish, int number) {
  return wish.empty() || std::ranges::count(wish, number) > 0;
}

// Four digits, which is more than a picture shows, take a third of the bytes of all.
double short_number(float weight) {
  if (weight == 0) return 0;
  const double scale = std::pow(10.0, 3 - std::floor(std::log10(std::abs(weight))));
  return std::isfinite(scale) ? std::round(weight * scale) / scale : weight;
}

}  // namespace

PlainTrace::PlainTrace(const insight::TracedExample& example, const TraceWish& wish)
    : title_(example.title), strips_(example.strips) {
  std::size_t count = 0;
  for (const insight::AttentionSet& set : example.attentions) {
    Set mine{set.kind, set.queries, set.keys, set.stepwise, {}};
    for (const insight::TracedHead& head : set.heads) {
      if (!chosen(wish.layers, head.layer) || !chosen(wish.heads, head.head)) continue;
      const std::vector<Real> weights = head.weights.values();
      count += weights.size();
      if (count > kMostWeights) {
        throw HttpError({.status = 422, .where = "/attention"},
                        "the attention has more than {} weights; choose of it with \"layers\" and "
                        "\"heads\"",
                        kMostWeights);
      }
      mine.heads.push_back({head.layer, head.head, static_cast<std::size_t>(head.weights.size(1)),
                            std::vector<float>(weights.begin(), weights.end())});
    }
    if (!mine.heads.empty()) sets_.push_back(std::move(mine));
  }
}

ordered_json PlainTrace::json(const std::string& model, const std::string& task) const {
  ordered_json strips = ordered_json::array();
  for (const insight::TokenStrip& strip : strips_) {
    ordered_json mine = {{"name", strip.name}, {"tokens", strip.tokens}};
    if (!strip.words.empty()) mine["words"] = strip.words;
    strips.push_back(std::move(mine));
  }
  ordered_json sets = ordered_json::array();
  for (const Set& set : sets_) {
    ordered_json heads = ordered_json::array();
    for (const Head& head : set.heads) {
      ordered_json rows = ordered_json::array();
      for (std::size_t i = 0; i < head.weights.size(); i += head.columns) {
        ordered_json row = ordered_json::array();
        for (std::size_t k = i; k < i + head.columns; ++k) {
          const float weight = head.weights[k];
          row.push_back(std::isnan(weight) ? ordered_json() : ordered_json(short_number(weight)));
        }
        rows.push_back(std::move(row));
      }
      heads.push_back({{"layer", head.layer}, {"head", head.head}, {"weights", std::move(rows)}});
    }
    sets.push_back({{"kind", set.kind},
                    {"queries", set.queries},
                    {"keys", set.keys},
                    {"stepwise", set.stepwise},
                    {"heads", std::move(heads)}});
  }
  ordered_json example = ordered_json::object();
  if (!title_.empty()) example["title"] = title_;
  example["strips"] = std::move(strips);
  example["attentions"] = std::move(sets);
  return {{"format", "heed-trace"},
          {"version", 1},
          {"model", model},
          {"task", task},
          {"examples", ordered_json::array({std::move(example)})}};
}

}  // namespace heed::server
