// SPDX-License-Identifier: Apache-2.0
// A link's width shows its weight as well as its colour does.
#include "heed/insight/draw/links_picture.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/error.h"

namespace heed::insight {
namespace {

constexpr double kGap = 8;      // between words
constexpr double kPadding = 6;  // inside a word's box
constexpr double kWordHeight = 24;
constexpr double kBetween = 150;  // the rows
constexpr double kWidestLink = 7;
constexpr double kLongestWord = 160;

TextStyle word_style(const Rgb& colour = {}) {
  return {.size = 14, .colour = colour, .align = Align::middle, .room = kLongestWord};
}

// Words beside each other, by their boxes.
struct Row {
  std::vector<Box> boxes;
  double width = 0;
};

Row row_of(const std::vector<std::string>& words, double y) {
  Row row;
  for (const std::string& word : words) {
    const double width = std::ceil(text_size(word, word_style()).width) + 2 * kPadding;
    row.boxes.push_back({row.width, y, width, kWordHeight});
    row.width += width + kGap;
  }
  row.width -= kGap;
  if (reads_from_right(words)) {
    for (Box& box : row.boxes) box.x = row.width - box.x - box.width;
  }
  return row;
}

void shift(Row& row, double by) {
  for (Box& box : row.boxes) box.x += by;
}

double middle(const Box& box) {
  return box.x + box.width / 2;
}

}  // namespace

std::vector<ViewLink> links_of(const MatrixView& view, double mass) {
  if (!(mass > 0 && mass <= 1)) {
    throw UsageError("links: {} of a query's weight; it takes a share above 0 and up to 1", mass);
  }
  const auto columns = static_cast<std::size_t>(view.weights.size(1));
  const std::vector<Real> values = view.weights.values();
  std::vector<ViewLink> links;
  std::vector<std::size_t> order(columns);
  for (std::int64_t q = 0; q < view.weights.size(0); ++q) {
    const Real* row = &values[static_cast<std::size_t>(q) * columns];
    const auto weight = [&](std::size_t k) { return std::isnan(row[k]) ? 0. : double{row[k]}; };
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(), weight);
    double whole = 0;
    for (std::size_t k = 0; k < columns; ++k) whole += weight(k);
    double held = 0;
    for (const std::size_t k : order) {
      // Rounding must not draw one link more than the share asks for.
      if (weight(k) <= 0 || held >= mass * whole - 1e-6 * whole) break;
      held += weight(k);
      links.push_back({q, static_cast<std::int64_t>(k), weight(k)});
    }
  }
  return links;
}

Drawing links_drawing(const MatrixView& view, const PictureStyle& style, double mass) {
  const std::vector<ViewLink> links = links_of(view, mass);
  const double name = std::max(text_size(view.key_strip, {.size = 11}).width,
                               text_size(view.query_strip, {.size = 11}).width) +
                      12;
  Row keys = row_of(view.keys, 0), queries = row_of(view.queries, kWordHeight + kBetween);
  const double width = std::max(keys.width, queries.width);
  shift(keys, name + (width - keys.width) / 2);
  shift(queries, name + (width - queries.width) / 2);
  const double largest = legend_of(view.weights, style.colours).largest;
  const Palette palette = palette_of(style.theme);
  const ColourMap colours(style.colours, style.theme);
  Drawing drawing{.size = {name + width, 2 * kWordHeight + kBetween},
                  .ground = palette.ground,
                  .title = view.title};
  drawing.draw = [=](Canvas& canvas) {
    // The heaviest last: it is not hidden by others.
    std::vector<ViewLink> by_weight = links;
    std::ranges::stable_sort(by_weight, {}, &ViewLink::weight);
    for (const ViewLink& link : by_weight) {
      const Box& key = keys.boxes[static_cast<std::size_t>(link.key)];
      const Box& query = queries.boxes[static_cast<std::size_t>(link.query)];
      const double share = link.weight / largest;
      canvas.curve({middle(key), key.y + key.height}, {middle(query), query.y},
                   {.colour = colours.of(share), .width = 1 + (kWidestLink - 1) * share});
    }
    const auto draw_row = [&](const Row& row, const std::vector<std::string>& words,
                              const std::string& strip) {
      for (std::size_t i = 0; i < words.size(); ++i) {
        const Box& box = row.boxes[i];
        canvas.fill_rounded(box, 5, palette.faint);
        canvas.text({middle(box), box.y + box.height / 2}, words[i],
                    word_style(ink_on(palette.faint)));
      }
      canvas.text({0, row.boxes[0].y + kWordHeight / 2}, strip,
                  {.size = 11, .colour = palette.dim});
    };
    draw_row(keys, view.keys, view.key_strip);
    draw_row(queries, view.queries, view.query_strip);
  };
  return drawing;
}

}  // namespace heed::insight
