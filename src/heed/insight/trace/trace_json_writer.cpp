// SPDX-License-Identifier: Apache-2.0
// The writer of traces in JSON: a line for each head, weights as short as they read back exactly.
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "heed/base/base64.h"
#include "heed/insight/trace/trace_json.h"

namespace heed::insight {
namespace {

using nlohmann::ordered_json;

std::string written(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

void write_weights(const Tensor& weights, std::string& text) {
  const Tensor packed = weights.packed();
  const Real* cell = packed.data();
  text += '[';
  for (std::int64_t q = 0; q < packed.size(0); ++q) {
    text += q > 0 ? ",[" : "[";
    for (std::int64_t k = 0; k < packed.size(1); ++k, ++cell) {
      if (k > 0) text += ',';
      if (std::isnan(*cell)) {
        text += "null";
      } else {
        // JSON readers take -0 for the whole number 0: written as that, it stays what it is.
        fmt::format_to(std::back_inserter(text), "{}", *cell == 0 ? Real{0} : *cell);
      }
    }
    text += ']';
  }
  text += ']';
}

struct Writing {
  bool weights = true;
};

void write_set(const AttentionSet& set, const Writing& writing, std::string& text) {
  text += "{\"kind\":" + written(set.kind) + ",\"queries\":" + written(set.queries) +
          ",\"keys\":" + written(set.keys);
  text += set.stepwise ? ",\"stepwise\":true" : "";
  text += ",\"heads\":[";
  for (std::size_t i = 0; i < set.heads.size(); ++i) {
    const TracedHead& head = set.heads[i];
    fmt::format_to(std::back_inserter(text), "{}\n{{\"layer\":{},\"head\":{}", i > 0 ? "," : "",
                   head.layer, head.head);
    if (writing.weights) {
      text += ",\"weights\":";
      write_weights(head.weights, text);
    }
    text += '}';
  }
  text += "]}";
}

ordered_json listed_boxes(const std::vector<ImageBox>& boxes) {
  ordered_json list = ordered_json::array();
  for (const ImageBox& box : boxes) list.push_back({box.left, box.top, box.right, box.bottom});
  return list;
}

void write_example(const TracedExample& example, const Writing& writing, std::string& text) {
  text += '{';
  if (!example.title.empty()) text += "\"title\":" + written(example.title) + ",";
  ordered_json strips = ordered_json::array();
  for (const TokenStrip& strip : example.strips) {
    ordered_json item = {{"name", strip.name}, {"tokens", strip.tokens}};
    if (!strip.words.empty()) item["words"] = strip.words;
    strips.push_back(std::move(item));
  }
  text += "\"strips\":" + written(strips) + ",\n\"attentions\":[";
  for (std::size_t i = 0; i < example.attentions.size(); ++i) {
    if (i > 0) text += ",\n";
    write_set(example.attentions[i], writing, text);
  }
  text += ']';
  if (example.gold) text += ",\n\"gold\":" + written(text::to_pharaoh(*example.gold));
  if (example.image) text += ",\n\"image\":" + to_image_json(*example.image);
  text += '}';
}

std::string write(const TraceDocument& document, const Writing& writing) {
  std::string text = "{\"format\":\"heed-trace\",\"version\":1";
  if (!document.model.empty()) text += ",\"model\":" + written(document.model);
  if (!document.task.empty()) text += ",\"task\":" + written(document.task);
  text += ",\n\"examples\":[";
  for (std::size_t i = 0; i < document.examples.size(); ++i) {
    if (i > 0) text += ",\n";
    write_example(document.examples[i], writing, text);
  }
  return text + "]}\n";
}

}  // namespace

std::string to_image_json(const ImageGrid& image) {
  ordered_json item = {{"strip", image.strip}, {"rows", image.rows}, {"columns", image.columns}};
  if (!image.png.empty()) item["png"] = base64_encode(image.png);
  if (!image.gold.empty()) item["gold"] = listed_boxes(image.gold);
  if (!image.looks.empty()) {
    item["looks"] = ordered_json::array();
    for (const std::vector<ImageBox>& look : image.looks)
      item["looks"].push_back(listed_boxes(look));
  }
  return written(item);
}

std::string to_trace_json(const TraceDocument& document) {
  return write(document, {});
}

std::string to_trace_json_without_weights(const TraceDocument& document) {
  return write(document, {.weights = false});
}

}  // namespace heed::insight
