// SPDX-License-Identifier: Apache-2.0
// Rows of numbers beside what equal weights would give.
#include "cli/heads_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "heed/base/text.h"
#include "heed/insight/draw/head_map_picture.h"
#include "heed/insight/draw/line_plot.h"

namespace heed::cli {
namespace {

using nlohmann::json;
using pipeline::SurveyedHead;

// The share and, in brackets, what equal weights give; "-" where nothing could be counted.
std::string share_text(const insight::RoleShare& share) {
  return share.queries == 0 ? "-" : fmt::format("{:.2f} ({:.2f})", share.found, share.chance);
}

json share_json(const insight::RoleShare& share) {
  if (share.queries == 0) return nullptr;
  return {{"share", share.found}, {"by_equal_weights", share.chance}, {"queries", share.queries}};
}

std::string alpha_text(const SurveyedHead& head) {
  return head.alpha ? fmt::format("{:.2f}", *head.alpha) : std::string("-");
}

json to_json(const SurveyedHead& head) {
  const insight::HeadRoles& roles = head.roles;
  json one = {{"set", head.set()},
              {"layer", head.site.layer},
              {"head", head.head},
              {"roles", roles.names()},
              {"queries", roles.queries},
              {"confidence", roles.confidence},
              {"density", roles.density},
              {"entropy", roles.entropy},
              {"distance", roles.distance},
              {"divergence", roles.divergence},
              {"offset", roles.offset},
              {"at_offset", share_json(roles.positional)},
              {"rare", share_json(roles.rare)},
              {"merging", share_json(roles.merging)},
              {"sink", share_json(roles.sink)},
              {"copying", share_json(roles.copying)},
              {"induction", share_json(roles.induction)},
              {"to_head", share_json(roles.to_head)},
              {"to_dependents", share_json(roles.to_dependents)},
              {"importance", head.importance},
              {"added_loss", head.added_loss},
              {"lost_right", head.lost_right}};
  if (head.alpha) one["alpha"] = *head.alpha;
  if (head.open) one["gate_open"] = *head.open;
  if (roles.to_head.queries > 0) one["to_head"]["by_distance"] = roles.to_head_by_distance;
  if (roles.to_dependents.queries > 0) {
    one["to_dependents"]["by_distance"] = roles.to_dependents_by_distance;
  }
  return one;
}

using Table = std::vector<std::vector<std::string>>;

// The first column to the left, the others to the right; the last is a text.
std::string aligned(const Table& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      const bool left = i == 0 || i + 1 == row.size();
      line += left ? pad_right(row[i], widths[i]) : pad_left(row[i], widths[i]);
    }
    while (line.ends_with(' ')) line.pop_back();
    text += line + '\n';
  }
  return text;
}

Table what_heads_do(const pipeline::HeadSurvey& survey) {
  bool alphas = false, gates = false;
  for (const SurveyedHead& head : survey.heads) {
    alphas = alphas || head.alpha.has_value();
    gates = gates || head.open.has_value();
  }
  Table rows = {{"head", "confidence", "density", "bits", "distance", "importance", "added loss",
                 "lost right"}};
  if (alphas) rows[0].emplace_back("alpha");
  if (gates) rows[0].emplace_back("open");
  rows[0].emplace_back("what it does");
  for (const SurveyedHead& head : survey.heads) {
    const insight::HeadRoles& roles = head.roles;
    auto& row = rows.emplace_back(std::vector<std::string>{
        head.name(), fmt::format("{:.2f}", roles.confidence), fmt::format("{:.2f}", roles.density),
        fmt::format("{:.2f}", roles.entropy), fmt::format("{:.1f}", roles.distance),
        fmt::format("{:.4f}", head.importance), fmt::format("{:+.4f}", head.added_loss),
        fmt::format("{:+.1f}%", 100 * head.lost_right)});
    if (alphas) row.push_back(alpha_text(head));
    if (gates) row.push_back(head.open ? fmt::format("{:.2f}", *head.open) : "-");
    row.push_back(join(roles.names(), ", "));
  }
  return rows;
}

Table where_heads_look(const pipeline::HeadSurvey& survey) {
  Table rows = {
      {"head", "most often at", "rare", "rest of word", "ends, marks", "equal", "after equal"}};
  if (survey.links) {
    rows[0].emplace_back("to head");
    rows[0].emplace_back("to dependents");
  }
  rows[0].emplace_back("");
  for (const SurveyedHead& head : survey.heads) {
    const insight::HeadRoles& roles = head.roles;
    auto& row = rows.emplace_back(std::vector<std::string>{
        head.name(),
        roles.queries == 0 ? "-"
                           : fmt::format("{:+}: {}", roles.offset, share_text(roles.positional)),
        share_text(roles.rare), share_text(roles.merging), share_text(roles.sink),
        share_text(roles.copying), share_text(roles.induction)});
    const auto linked = [&](const insight::RoleShare& share, double by_distance) {
      return share.queries == 0 ? "-" : fmt::format("{:.2f} ({:.2f})", share.found, by_distance);
    };
    if (survey.links) {
      row.push_back(linked(roles.to_head, roles.to_head_by_distance));
      row.push_back(linked(roles.to_dependents, roles.to_dependents_by_distance));
    }
    row.emplace_back();
  }
  return rows;
}

// How much the heads of a layer differ: the Jensen-Shannon divergence of their weights.
std::map<std::pair<std::string, int>, double> diversity_of(const pipeline::HeadSurvey& survey) {
  std::map<std::pair<std::string, int>, std::pair<double, double>> sums;
  for (const SurveyedHead& head : survey.heads) {
    auto& [sum, count] = sums[{head.set(), head.site.layer}];
    sum += head.roles.divergence;
    ++count;
  }
  std::map<std::pair<std::string, int>, double> found;
  for (const auto& [layer, sum] : sums) found[layer] = sum.first / sum.second;
  return found;
}

insight::HeadMap map_of(const pipeline::HeadSurvey& survey) {
  double most = 0;
  for (const SurveyedHead& head : survey.heads) most = std::max(most, head.importance);
  insight::HeadMap map{
      .title = "heads",
      .subtitle = fmt::format("colour: importance as a share of the largest, {:.4f}; number: what "
                              "its removal adds to the loss of {:.3f}",
                              most, survey.loss)};
  for (const SurveyedHead& head : survey.heads) {
    insight::HeadTile tile{
        head.set(), head.site.layer, head.head, most > 0 ? head.importance / most : 0, {}};
    const std::vector<std::string> roles = head.roles.names();
    for (std::size_t i = 0; i < roles.size() && i < 2; ++i) tile.lines.push_back(roles[i]);
    tile.lines.push_back(fmt::format("{:+.3f}", head.added_loss));
    map.tiles.push_back(std::move(tile));
  }
  return map;
}

}  // namespace

std::string heads_text(const pipeline::HeadSurvey& survey) {
  std::string text =
      fmt::format("{} heads, {} examples: loss {:.4f} for each of {:.0f} {}, {:.1f}% right\n\n",
                  survey.heads.size(), survey.examples, survey.loss, survey.units, survey.unit,
                  100 * survey.right);
  text += aligned(what_heads_do(survey));
  text += fmt::format("\nwhere they look: shares, in brackets what equal weights {}give\n",
                      survey.links ? "(of links the best distance between words) " : "");
  text += aligned(where_heads_look(survey));
  text += "\nhow much the heads of a layer differ (bits)\n";
  for (const auto& [layer, bits] : diversity_of(survey)) {
    text += fmt::format("  {} {}: {:.3f}\n", layer.first, layer.second, bits);
  }
  for (const pipeline::PruningCurve& curve : survey.curves) {
    text += fmt::format("\nheads left, the least by {} gone first: loss (right)\n ", curve.order);
    for (const pipeline::PruningStep& step : curve.steps) {
      text += fmt::format(" {}: {:.3f} ({:.1f}%)", step.heads, step.loss, 100 * step.right);
    }
    text += '\n';
  }
  if (survey.open) {
    text +=
        fmt::format("learnt gates leave {} of {} heads open\n", *survey.open, survey.heads.size());
  }
  if (!survey.left_out.empty()) {
    text += fmt::format("not looked at: {}\n", join(survey.left_out, ", "));
  }
  return text;
}

std::string heads_json(const pipeline::HeadSurvey& survey) {
  json object = {
      {"examples", survey.examples}, {"units", survey.units},      {"unit", survey.unit},
      {"loss", survey.loss},         {"right", survey.right},      {"left_out", survey.left_out},
      {"heads", json::array()},      {"diversity", json::array()}, {"pruning", json::array()}};
  for (const SurveyedHead& head : survey.heads) object["heads"].push_back(to_json(head));
  for (const auto& [layer, bits] : diversity_of(survey)) {
    object["diversity"].push_back({{"set", layer.first}, {"layer", layer.second}, {"bits", bits}});
  }
  for (const pipeline::PruningCurve& curve : survey.curves) {
    json steps = json::array();
    for (const pipeline::PruningStep& step : curve.steps) {
      steps.push_back({{"heads", step.heads}, {"loss", step.loss}, {"right", step.right}});
    }
    object["pruning"].push_back({{"order", curve.order}, {"steps", steps}});
  }
  if (survey.open) object["open"] = *survey.open;
  return object.dump(2);
}

std::string heads_svg(const pipeline::HeadSurvey& survey) {
  return insight::head_map_svg(map_of(survey));
}

std::string heads_png(const pipeline::HeadSurvey& survey) {
  return insight::head_map_png(map_of(survey));
}

std::string pruning_svg(const pipeline::HeadSurvey& survey) {
  std::vector<insight::PlotLine> lines;
  for (const pipeline::PruningCurve& curve : survey.curves) {
    insight::PlotLine& line = lines.emplace_back(insight::PlotLine{.name = curve.order});
    for (const pipeline::PruningStep& step : curve.steps) {
      line.points.push_back({static_cast<double>(step.heads), step.loss,
                             fmt::format("{} heads: {:.3f}", step.heads, step.loss)});
    }
  }
  return insight::line_svg(lines, {.title = "Loss by the heads that are left",
                                   .x = {.label = "heads left"},
                                   .y = {.label = "loss"}});
}

}  // namespace heed::cli
