// SPDX-License-Identifier: Apache-2.0
// Lines for people, JSON for programs, and the scene of a picture.
#include "cli/caption/caption_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::cli {

using nlohmann::ordered_json;

std::string caption_text(const ShownCaption& one) {
  std::string text = fmt::format("{}\n  {}, probability {:.3g}", one.look.written.caption, one.name,
                                 std::exp(one.look.written.log_probability));
  if (one.said.caption.empty()) return text + "\n";
  const bool right = lower(one.said.caption) == one.look.written.caption;
  return text + (right ? ", right\n" : fmt::format("; it is {}\n", one.said.caption));
}

std::string captions_json(std::span<const ShownCaption> all) {
  ordered_json list = ordered_json::array();
  for (const ShownCaption& one : all) {
    ordered_json object = {{"picture", one.name},
                           {"caption", one.look.written.caption},
                           {"log_probability", one.look.written.log_probability},
                           {"words", one.look.words}};
    if (!one.look.gates.empty()) object["gates"] = one.look.gates;
    if (!one.said.caption.empty()) object["answer"] = one.said.caption;
    list.push_back(std::move(object));
  }
  return list.dump(2) + "\n";
}

std::string caption_table(std::span<const MeasuredCaptions> rows) {
  std::string text =
      "part      pictures   exact   BLEU   mass  pointing  next  even  pointing  middle  "
      "pointing\n";
  for (const MeasuredCaptions& row : rows) {
    const pipeline::CaptionQuality& quality = row.quality;
    text += fmt::format("{:<9} {:>8}  {:>6.3f}  {:>5.1f}", row.part, quality.pictures,
                        static_cast<double>(quality.exact) / static_cast<double>(quality.pictures),
                        quality.bleu);
    const metrics::RegionScore& at = quality.at_word;
    if (at.looks() > 0) {
      text +=
          fmt::format("  {:>5.3f}  {:>8.3f}  {:>4.2f}  {:>4.2f}  {:>8.2f}  {:>6.2f}  {:>8.2f}",
                      at.mass(), at.pointing(), quality.after_word.pointing(), at.uniform_mass(),
                      at.uniform_pointing(), at.centre_mass(), at.centre_pointing());
    }
    text += '\n';
  }
  return text;
}

std::string caption_table_json(std::span<const MeasuredCaptions> rows) {
  ordered_json list = ordered_json::array();
  for (const MeasuredCaptions& row : rows) {
    const pipeline::CaptionQuality& quality = row.quality;
    ordered_json object = {
        {"part", row.part},
        {"pictures", quality.pictures},
        {"exact", static_cast<double>(quality.exact) / static_cast<double>(quality.pictures)},
        {"bleu", quality.bleu}};
    const auto score = [](const metrics::RegionScore& of) {
      return ordered_json{{"words", of.looks()},
                          {"mass", of.mass()},
                          {"pointing", of.pointing()},
                          {"uniform_mass", of.uniform_mass()},
                          {"uniform_pointing", of.uniform_pointing()},
                          {"centre_mass", of.centre_mass()},
                          {"centre_pointing", of.centre_pointing()}};
    };
    if (quality.at_word.looks() > 0) {
      object["at_word"] = score(quality.at_word);
      object["after_word"] = score(quality.after_word);
    }
    list.push_back(std::move(object));
  }
  return list.dump(2) + "\n";
}

insight::OverlayScene caption_scene(const pipeline::CaptionWriter& writer,
                                    const ShownCaption& one) {
  const pipeline::LookedCaption& look = one.look;
  if (!look.weights.defined()) {
    throw UsageError("--show, --draw: this model does not attend; it reads the mean of all cells");
  }
  const models::ImageGridShape grid = writer.grid();
  insight::OverlayScene scene{.image = one.picture, .title = look.written.caption};
  const bool known = lower(one.said.caption) == look.written.caption;
  for (std::size_t w = 0; w < look.words.size(); ++w) {
    const auto row = static_cast<std::int64_t>(w);
    insight::OverlayView view{
        .label = look.words[w],
        .weights = look.weights.select(0, row).packed().reshape({grid.rows, grid.columns})};
    if (!look.gates.empty()) view.gate = look.gates[w];
    if (!look.densities.empty()) view.densities = look.densities[w];
    if (known && w < one.said.links.size()) {
      for (const int region : one.said.links[w]) {
        view.gold.push_back(one.said.regions[static_cast<std::size_t>(region)].box);
      }
    }
    scene.views.push_back(std::move(view));
  }
  return scene;
}

}  // namespace heed::cli
