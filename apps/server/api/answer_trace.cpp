// SPDX-License-Identifier: Apache-2.0
// Chooses heads, and writes their weights short.
#include "server/api/answer_trace.h"

#include <algorithm>
#include <cmath>

#include "heed/insight/trace/trace_json.h"
#include "server/http/http_error.h"

namespace heed::server {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t kMostWeights = 1 << 20;

bool chosen(const std::vector<int>& request, int number) {
  return request.empty() || std::ranges::count(request, number) > 0;
}

// Four digits, which is more than a picture shows, take a third of the bytes of all.
double short_number(Real weight) {
  if (weight == 0) return 0;
  const double scale = std::pow(10.0, 3 - std::floor(std::log10(std::abs(weight))));
  return std::isfinite(scale) ? std::round(weight * scale) / scale : weight;
}

// weights [queries, keys]; null where a key is hidden.
ordered_json short_rows(const Tensor& weights) {
  ordered_json rows = ordered_json::array();
  const Tensor packed = weights.packed();
  const Real* weight = packed.data();
  for (std::int64_t q = 0; q < packed.size(0); ++q) {
    ordered_json row = ordered_json::array();
    for (std::int64_t k = 0; k < packed.size(1); ++k, ++weight) {
      row.push_back(std::isnan(*weight) ? ordered_json() : ordered_json(short_number(*weight)));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

insight::TracedExample chosen_heads(insight::TracedExample example, const TraceRequest& request) {
  std::int64_t count = 0;
  for (insight::AttentionSet& set : example.attentions) {
    std::erase_if(set.heads, [&](const insight::TracedHead& head) {
      return !chosen(request.layers, head.layer) || !chosen(request.heads, head.head);
    });
    for (const insight::TracedHead& head : set.heads) count += head.weights.size();
  }
  std::erase_if(example.attentions, [](const auto& set) { return set.heads.empty(); });
  if (count > kMostWeights) {
    throw HttpError({.status = 422, .where = "/attention"},
                    "the attention has more than {} weights; choose of it with \"layers\" and "
                    "\"heads\"",
                    kMostWeights);
  }
  return example;
}

ordered_json trace_json(const insight::TracedExample& example, const std::string& model,
                        const std::string& task) {
  ordered_json strips = ordered_json::array();
  for (const insight::TokenStrip& strip : example.strips) {
    ordered_json mine = {{"name", strip.name}, {"tokens", strip.tokens}};
    if (!strip.words.empty()) mine["words"] = strip.words;
    strips.push_back(std::move(mine));
  }
  ordered_json sets = ordered_json::array();
  for (const insight::AttentionSet& set : example.attentions) {
    ordered_json heads = ordered_json::array();
    for (const insight::TracedHead& head : set.heads) {
      heads.push_back(
          {{"layer", head.layer}, {"head", head.head}, {"weights", short_rows(head.weights)}});
    }
    sets.push_back({{"kind", set.kind},
                    {"queries", set.queries},
                    {"keys", set.keys},
                    {"stepwise", set.stepwise},
                    {"heads", std::move(heads)}});
  }
  ordered_json mine = ordered_json::object();
  if (!example.title.empty()) mine["title"] = example.title;
  mine["strips"] = std::move(strips);
  mine["attentions"] = std::move(sets);
  if (example.image) mine["image"] = ordered_json::parse(insight::to_image_json(*example.image));
  return {{"format", "heed-trace"},
          {"version", 1},
          {"model", model},
          {"task", task},
          {"examples", ordered_json::array({std::move(mine)})}};
}

}  // namespace heed::server
