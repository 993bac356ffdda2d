// SPDX-License-Identifier: Apache-2.0
// One line at a time, nothing taken on trust.
#include "heed/metrics/region_lines.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::metrics {
namespace {

using nlohmann::json;

constexpr std::int64_t kMostMaskSide = 1 << 14;
constexpr std::int64_t kMostMaskPixels = 1 << 24;
constexpr const char* kForm =
    R"({"size": [WIDTH, HEIGHT], "boxes": [[LEFT, TOP, RIGHT, BOTTOM]], "weights": [[...], ...]})";

// So many whole numbers.
std::vector<std::int64_t> whole_numbers(const json& value, std::size_t count, const char* what,
                                        const std::string& where) {
  std::vector<std::int64_t> numbers;
  if (value.is_array() && value.size() == count) {
    for (const json& number : value) {
      if (!number.is_number_integer()) break;
      // Beyond any image, and far from where sums of them would overflow.
      const double held = std::min(1e9, std::max(-1e9, number.get<double>()));
      numbers.push_back(static_cast<std::int64_t>(held));
    }
  }
  if (numbers.size() != count) {
    throw DataError("{}: {} are {}; it takes {} whole numbers", where, what,
                    shorten(value.dump(-1, ' ', true, json::error_handler_t::replace), 40), count);
  }
  return numbers;
}

}  // namespace

RegionLine parse_region_line(std::string_view line, const std::string& where) {
  const json object = json::parse(line, nullptr, false);
  if (!object.is_object() || object.size() != 3 || !object.contains("size") ||
      !object.contains("boxes") || !object.contains("weights")) {
    throw DataError("{}: \"{}\"; a line is {}", where, shorten(line, 40), kForm);
  }
  const std::vector<std::int64_t> size = whole_numbers(object["size"], 2, "size", where);
  if (size[0] < 1 || size[1] < 1 || size[0] > kMostMaskSide || size[1] > kMostMaskSide ||
      size[0] * size[1] > kMostMaskPixels) {
    throw DataError("{}: an image of {} x {}; it takes sides of 1 to {} and {} pixels at most",
                    where, size[0], size[1], kMostMaskSide, kMostMaskPixels);
  }
  RegionLine look{.mask = GoldMask::empty(size[1], size[0])};
  const json& boxes = object["boxes"];
  const json& rows = object["weights"];
  constexpr std::size_t kMostBoxes = 100;
  if (!boxes.is_array() || boxes.empty() || boxes.size() > kMostBoxes) {
    throw DataError("{}: \"boxes\" takes a list of 1 to {} of them", where, kMostBoxes);
  }
  for (const json& one : boxes) {
    const std::vector<std::int64_t> box = whole_numbers(one, 4, "the sides of a box", where);
    if (box[0] >= size[0] || box[1] >= size[1] || box[2] <= std::max<std::int64_t>(0, box[0]) ||
        box[3] <= std::max<std::int64_t>(0, box[1])) {
      throw DataError("{}: a box from {}, {} to {}, {} has no pixel in an image of {} x {}", where,
                      box[0], box[1], box[2], box[3], size[0], size[1]);
    }
    look.mask.add_box(box[0], box[1], box[2], box[3]);
  }
  look.rows = rows.is_array() ? std::ssize(rows) : 0;
  look.columns = look.rows > 0 && rows[0].is_array() ? std::ssize(rows[0]) : 0;
  for (std::int64_t y = 0; look.columns > 0 && y < look.rows; ++y) {
    const json& row = rows[static_cast<std::size_t>(y)];
    if (!row.is_array() || std::ssize(row) != look.columns) look.columns = 0;
    for (std::size_t x = 0; x < static_cast<std::size_t>(look.columns); ++x) {
      const double weight = row[x].is_number() ? row[x].get<double>()
                            : row[x].is_null() ? std::numeric_limits<double>::quiet_NaN()
                                               : -1;
      if (weight < 0 || weight > static_cast<double>(std::numeric_limits<float>::max())) {
        throw DataError(
            "{}: a weight of {} in row {}; it takes numbers from 0 on, null where hidden", where,
            shorten(row[x].dump(-1, ' ', true, json::error_handler_t::replace), 20), y + 1);
      }
      look.weights.push_back(static_cast<float>(weight));
    }
  }
  if (look.columns == 0) {
    throw DataError("{}: \"weights\" takes a grid: rows of equally many numbers", where);
  }
  return look;
}

std::string written_region_line(const RegionLine& look,
                                const std::vector<std::vector<std::int64_t>>& boxes) {
  nlohmann::ordered_json object = {{"size", {look.mask.width, look.mask.height}}, {"boxes", boxes}};
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::int64_t y = 0; y < look.rows; ++y) {
    nlohmann::ordered_json row = nlohmann::ordered_json::array();
    for (std::int64_t x = 0; x < look.columns; ++x) {
      const float weight = look.weights[static_cast<std::size_t>(y * look.columns + x)];
      row.push_back(std::isnan(weight) ? nlohmann::ordered_json() : nlohmann::ordered_json(weight));
    }
    rows.push_back(std::move(row));
  }
  object["weights"] = std::move(rows);
  return object.dump();
}

}  // namespace heed::metrics
