// SPDX-License-Identifier: Apache-2.0
// Lines for people, JSON for programs.
#include "cli/glimpse/glimpse_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace heed::cli {

using nlohmann::ordered_json;

std::string looked_line(const pipeline::GlimpseReader& reader, const LookedImage& one) {
  const std::string line = fmt::format("probability {:.3g}", one.path.probability);
  if (one.labels.empty()) return line;
  if (one.labels == one.path.classes) return line + ", right";
  return line + fmt::format("; it is {}", reader.text(one.labels));
}

std::string looked_text(const pipeline::GlimpseReader& reader, std::span<const LookedImage> all) {
  std::string text;
  for (const LookedImage& one : all) {
    const std::string classes = reader.text(one.path.classes);
    text += fmt::format("{}\t{}\n  {}\n  looked at", one.name,
                        classes.empty() ? "(nothing)" : classes, looked_line(reader, one));
    for (const pipeline::GlimpsePath::Step& step : one.path.steps) {
      text += fmt::format(" ({:.2f}, {:.2f})", step.x, step.y);
    }
    text += "\n";
  }
  return text;
}

std::string looked_json(const pipeline::GlimpseReader& reader, std::span<const LookedImage> all) {
  ordered_json list = ordered_json::array();
  for (const LookedImage& one : all) {
    ordered_json object = {{"image", one.name},
                           {"classes", reader.text(one.path.classes)},
                           {"probability", one.path.probability}};
    if (!one.labels.empty()) {
      object["answer"] = reader.text(one.labels);
      object["right"] = one.labels == one.path.classes;
    }
    ordered_json glimpses = ordered_json::array();
    for (const pipeline::GlimpsePath::Step& step : one.path.steps) {
      ordered_json boxes = ordered_json::array();
      for (const images::Box& box : step.boxes) {
        boxes.push_back({box.left, box.top, box.right, box.bottom});
      }
      glimpses.push_back(
          {{"place", {step.x, step.y}}, {"boxes", boxes}, {"chances", step.chances}});
    }
    object["glimpses"] = std::move(glimpses);
    list.push_back(std::move(object));
  }
  return list.dump(2) + "\n";
}

std::string glimpse_table(std::span<const GlimpseRow> rows, const pipeline::PlaceReport* report) {
  std::string text = "places                canvases    error  centres in a box, by chance\n";
  for (const GlimpseRow& row : rows) {
    text += fmt::format("{:<20}  {:>8}  {:>6.2f}%  {:>15.1f}%  {:>9.1f}%\n", row.name,
                        row.quality.canvases, 100 * row.quality.error(),
                        100 * row.quality.pointing(), 100 * row.quality.box_share);
  }
  if (report != nullptr) {
    text += "policy: " + report->text() + "\n";
    if (const std::string warning = report->warning(); !warning.empty()) {
      text += "warning: " + warning + "\n";
    }
  }
  return text;
}

std::string glimpse_json(std::span<const GlimpseRow> rows, const pipeline::PlaceReport* report) {
  ordered_json list = ordered_json::array();
  for (const GlimpseRow& row : rows) {
    ordered_json by_glimpse = ordered_json::array();
    for (std::size_t t = 0; t < row.quality.in_box.size(); ++t) {
      by_glimpse.push_back(row.quality.in_box[t] / static_cast<double>(row.quality.canvases));
    }
    list.push_back({{"places", row.name},
                    {"canvases", row.quality.canvases},
                    {"error", row.quality.error()},
                    {"class_error", static_cast<double>(row.quality.wrong_targets) /
                                        static_cast<double>(row.quality.targets)},
                    {"loss", row.quality.mean_loss()},
                    {"in_box", row.quality.pointing()},
                    {"in_box_by_glimpse", std::move(by_glimpse)},
                    {"box_share", row.quality.box_share}});
  }
  ordered_json object = {{"rows", std::move(list)}};
  if (report != nullptr) {
    object["policy"] = {{"mean_size", report->mean_size},
                        {"spread", report->spread},
                        {"held", report->held},
                        {"warning", report->warning()}};
  }
  return object.dump(2) + "\n";
}

}  // namespace heed::cli
