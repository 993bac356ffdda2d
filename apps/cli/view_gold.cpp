// SPDX-License-Identifier: Apache-2.0
// Reads gold links, prints the bench as a table or as JSON.
#include "cli/view_gold.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "heed/base/error.h"
#include "heed/insight/trace/alignment_bench.h"
#include "heed/text/lines.h"

namespace heed::cli {
namespace {

using nlohmann::json;

std::vector<text::Alignment> read_gold(const std::string& file, int first) {
  std::vector<text::Alignment> gold;
  text::LineReader reader(file);
  for (std::string line; reader.next(line);) {
    const std::string where = fmt::format("{}:{}", reader.name(), reader.line());
    gold.push_back(text::parse_pharaoh(line, {.where = where, .first = first}));
  }
  return gold;
}

// The links of the same sentences: a trace may hold only the first of a file's.
insight::AlignmentBench bench_of(const insight::TraceDocument& document,
                                 std::vector<text::Alignment> gold, const ViewGold& options) {
  if (gold.size() > document.examples.size()) gold.resize(document.examples.size());
  return insight::alignment_bench(document, gold, options.kind);
}

json as_json(const metrics::AlignmentScore& score) {
  return {{"error_rate", score.error_rate()},
          {"precision", score.precision()},
          {"recall", score.recall()}};
}

json as_json(const insight::AlignmentBench& bench) {
  json looks = json::array();
  for (const insight::AlignedLook& look : bench.looks) {
    json one = {{"name", look.name},
                {"query", look.query == insight::TokenQuery::wrote ? "wrote" : "read"},
                {"error_rate", look.score.error_rate()},
                {"wrote", as_json(look.wrote)},
                {"coverage", look.quality.coverage},
                {"coverage_deviation", look.quality.deviation},
                {"target_dispersion", look.quality.target_dispersion},
                {"source_dispersion", look.quality.source_dispersion},
                {"confidence", look.quality.confidence()}};
    if (look.layer) one["layer"] = *look.layer;
    if (look.head) one["head"] = *look.head;
    if (look.read) one["read"] = as_json(*look.read);
    looks.push_back(std::move(one));
  }
  return {{"model", bench.model},
          {"examples", bench.examples},
          {"best", bench.best().name},
          {"best_head", bench.best_head().name},
          {"best_head_error_rate", bench.best_head().score.error_rate()},
          {"looks", looks}};
}

bool fits(const insight::TracedExample& example, const text::Alignment& gold) {
  insight::TraceDocument one;
  one.examples.push_back({.strips = example.strips, .gold = gold});
  try {
    insight::check(one);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

}  // namespace

void ViewGold::declare(Options& list) {
  list.add("gold", gold,
           "gold word alignments, \"0-0 1-2\" per line: prints how well every head agrees with "
           "them");
  list.add("gold-first", first_word, "the number of the first word in --gold").range(0, 1);
  list.add("beside", beside, "with --gold: a second trace or model, compared with the first");
  list.add("gold-kind", kind, "with --gold: the kind of attention");
  list.add("json", json, "with --gold: as JSON");
}

void ViewGold::compare(insight::TraceDocument& document, const ViewInput& input) const {
  const std::vector<text::Alignment> links = read_gold(gold, first_word);
  std::vector<insight::AlignmentBench> systems = {bench_of(document, links, *this)};
  if (!beside.empty()) systems.push_back(bench_of(input.read(beside), links, *this));
  if (json) {
    nlohmann::json all = nlohmann::json::array();
    for (const insight::AlignmentBench& bench : systems) all.push_back(as_json(bench));
    fmt::print("{}\n", nlohmann::json{{"systems", all}}.dump(2));
  } else {
    fmt::print("{}", insight::alignment_table(systems));
  }
  for (std::size_t i = 0; i < document.examples.size(); ++i) {
    if (fits(document.examples[i], links[i])) document.examples[i].gold = links[i];
  }
}

}  // namespace heed::cli
