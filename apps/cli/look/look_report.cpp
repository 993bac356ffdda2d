// SPDX-License-Identifier: Apache-2.0
// Lines for people, JSON for programs.
#include "cli/look/look_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/region_table.h"
#include "heed/base/text.h"

namespace heed::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostClassesShown = 3, kMostCellsShown = 4;

std::vector<std::size_t> by_look_chance(const pipeline::ImageLook& look) {
  std::vector<std::size_t> order(look.chances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t c) { return look.chances[c]; });
  return order;
}

// The cells with the largest shares of either sign.
std::string strongest_cells(const pipeline::ImageLooker& looker,
                            const explain::Explanation& found) {
  if (!found.undefined.empty()) return "undefined: " + found.undefined;
  std::vector<std::size_t> order(found.shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t i) { return std::abs(found.shares[i]); });
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < std::min(kMostCellsShown, order.size()); ++i) {
    cells.push_back(fmt::format(
        "cell {} {:+.3f}", pipeline::cell_name(static_cast<std::int64_t>(order[i]), looker.grid()),
        found.shares[order[i]]));
  }
  return join(cells, ", ");
}

}  // namespace

std::string looks_text(const pipeline::ImageLooker& looker, std::span<const NamedLook> looks) {
  std::string text;
  for (const NamedLook& one : looks) {
    text += one.name + "\n ";
    const std::vector<std::size_t> order = by_look_chance(one.look);
    for (std::size_t i = 0; i < std::min(kMostClassesShown, order.size()); ++i) {
      text += fmt::format(" {} {:.1f}%", looker.learnt().names[order[i]],
                          100 * one.look.chances[order[i]]);
    }
    text += "\n";
    for (const ImageExplanation& by : one.explanations) {
      text +=
          fmt::format("  {} by {}: {}\n", one.target, by.method, strongest_cells(looker, by.found));
    }
  }
  return text;
}

std::string looks_json(const pipeline::ImageLooker& looker, std::span<const NamedLook> looks) {
  ordered_json list = ordered_json::array();
  for (const NamedLook& one : looks) {
    ordered_json chances = ordered_json::array();
    for (const std::size_t c : by_look_chance(one.look)) {
      chances.push_back(
          {{"class", looker.learnt().names[c]}, {"probability", one.look.chances[c]}});
    }
    ordered_json object = {
        {"image", one.name},
        {"class", looker.learnt().names[static_cast<std::size_t>(one.look.best)]},
        {"classes", std::move(chances)}};
    if (one.look.weights.defined()) {
      ordered_json rows = ordered_json::array();
      for (std::int64_t y = 0; y < one.look.weights.size(0); ++y) {
        const Tensor row = one.look.weights.select(0, y).packed();
        rows.push_back(std::vector<float>(row.data(), row.data() + row.size()));
      }
      object["weights"] = std::move(rows);
    }
    for (const ImageExplanation& by : one.explanations) {
      ordered_json& mine = object["explained"].emplace_back(
          ordered_json{{"method", by.method}, {"target", one.target}});
      if (!by.found.undefined.empty()) {
        mine["undefined"] = by.found.undefined;
        continue;
      }
      mine["shares"] = by.found.shares;  // row by row
      if (!by.found.errors.empty()) mine["standard_errors"] = by.found.errors;
    }
    list.push_back(std::move(object));
  }
  return list.dump(2) + "\n";
}

std::string look_quality_text(const pipeline::ImageLooker& looker,
                              const pipeline::LookQuality& quality, bool regions) {
  std::string text =
      fmt::format("{} images: error {:.2f}%, loss {:.4f}\n", quality.images, 100 * quality.error(),
                  quality.loss / static_cast<double>(quality.images));
  if (regions) text += "\n" + region_table(quality.regions);
  if (!looker.has_layers()) return text;
  text += "\nmean distance of attention, in patches\n";
  for (std::size_t layer = 0; layer < quality.distances.size(); ++layer) {
    text += fmt::format("layer {}", layer + 1);
    for (const double distance : quality.distances[layer])
      text += fmt::format("  {:5.2f}", distance);
    text += "\n";
  }
  return text;
}

std::string look_quality_json(const pipeline::ImageLooker& looker,
                              const pipeline::LookQuality& quality, bool regions) {
  ordered_json object = {{"images", quality.images},
                         {"error", quality.error()},
                         {"loss", quality.loss / static_cast<double>(quality.images)}};
  if (regions) add_regions(object, quality.regions);
  if (looker.has_layers()) object["distances"] = quality.distances;
  return object.dump(2) + "\n";
}

}  // namespace heed::cli
