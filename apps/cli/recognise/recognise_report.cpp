// SPDX-License-Identifier: Apache-2.0
// Lines for people, JSON for programs.
#include "cli/recognise/recognise_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::cli {

using nlohmann::ordered_json;

std::string recognised_line(const pipeline::StripReader& reader, const RecognisedStrip& one) {
  std::string line = fmt::format("probability {:.3g}", std::exp(one.look.found.log_probability));
  if (!one.strip.labelled) return line;
  const std::int64_t edits = pipeline::label_edits(one.strip.labels, one.look.found.labels);
  if (edits == 0) return line + ", right";
  return line + fmt::format(", {} wrong of {} labels; they are {}", edits, one.strip.labels.size(),
                            reader.text(one.strip.labels));
}

std::string recognised_text(const pipeline::StripReader& reader,
                            std::span<const RecognisedStrip> all) {
  std::string text;
  for (const RecognisedStrip& one : all) {
    const std::string labels = reader.text(one.look.found.labels);
    text += fmt::format("{}\n  {}\n", labels.empty() ? "(nothing)" : labels,
                        recognised_line(reader, one));
  }
  return text;
}

std::string recognised_json(const pipeline::StripReader& reader,
                            std::span<const RecognisedStrip> all) {
  ordered_json list = ordered_json::array();
  for (const RecognisedStrip& one : all) {
    ordered_json object = {{"labels", reader.text(one.look.found.labels)},
                           {"log_probability", one.look.found.log_probability},
                           {"frames", one.strip.frames()}};
    // The frame of the first state that has the most of each label.
    ordered_json places = ordered_json::array();
    const Tensor& weights = one.look.weights;
    for (std::int64_t u = 0; u < weights.size(0); ++u) {
      std::int64_t best = 0;
      for (std::int64_t s = 1; s < weights.size(1); ++s) {
        if (weights.at({u, s}) > weights.at({u, best})) best = s;
      }
      places.push_back(best * reader.frames_of_state() + 1);
    }
    object["places"] = std::move(places);
    if (one.strip.labelled) {
      object["answer"] = reader.text(one.strip.labels);
      object["edits"] = pipeline::label_edits(one.strip.labels, one.look.found.labels);
    }
    list.push_back(std::move(object));
  }
  return list.dump(2) + "\n";
}

LabelRange LabelRange::parse(const std::string& text) {
  const std::size_t dash = text.find('-', 1);
  LabelRange range;
  range.fewest = parse_integer(text.substr(0, dash), "--lengths");
  range.most = dash == text.npos ? range.fewest : parse_integer(text.substr(dash + 1), "--lengths");
  if (range.fewest < 1 || range.most < range.fewest || range.most > 1000) {
    throw UsageError("--lengths {}: give labels of a strip, from 1 to 1000, or a range such as 3-8",
                     text);
  }
  return range;
}

std::string LabelRange::text() const {
  return fewest == most ? fmt::format("{}", most) : fmt::format("{}-{}", fewest, most);
}

std::string range_table(std::span<const RangeQuality> rows) {
  std::string text = "labels   strips  label error  strips wrong  frames off\n";
  for (const RangeQuality& row : rows) {
    const pipeline::StripQuality& quality = row.quality;
    text += fmt::format("{:<7}  {:>6}  {:>10.2f}%  {:>11.2f}%  {:>10}\n", row.range.text(),
                        quality.strips, 100 * quality.label_error(), 100 * quality.strip_error(),
                        quality.placed > 0 ? fmt::format("{:.2f}", quality.mean_frames_off()) : "");
  }
  return text;
}

std::string range_json(std::span<const RangeQuality> rows) {
  ordered_json list = ordered_json::array();
  for (const RangeQuality& row : rows) {
    const pipeline::StripQuality& quality = row.quality;
    ordered_json object = {{"labels", row.range.text()},
                           {"strips", quality.strips},
                           {"label_error", quality.label_error()},
                           {"strip_error", quality.strip_error()}};
    if (quality.placed > 0) object["frames_off"] = quality.mean_frames_off();
    list.push_back(std::move(object));
  }
  return ordered_json{{"lengths", std::move(list)}}.dump(2) + "\n";
}

insight::StripLook strip_look(const pipeline::StripReader& reader, const pipeline::LookedAt& look) {
  insight::StripLook made{.weights = look.weights, .frames_of_state = reader.frames_of_state()};
  const bool blanks = look.chances.defined();
  if (blanks) {
    made.weights = look.chances;
    made.path = look.path;
    made.rows.emplace_back();
  }
  for (const int label : look.found.labels) {
    made.rows.push_back(reader.text(std::span(&label, 1)));
    if (blanks) made.rows.emplace_back();
  }
  return made;
}

insight::StripScene strip_scene(const pipeline::StripReader& reader, const corpora::Strip& strip) {
  insight::StripScene scene{.frames = Tensor::zeros({strip.frames(), strip.height})};
  std::ranges::copy(strip.values, scene.frames.mutable_data());
  for (std::size_t u = 0; u < strip.places.size(); ++u) {
    scene.spans.push_back(
        {reader.text(std::span(&strip.labels[u], 1)), strip.places[u].begin, strip.places[u].end});
  }
  return scene;
}

}  // namespace heed::cli
