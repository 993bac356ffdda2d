// SPDX-License-Identifier: Apache-2.0
// A link's width shows its weight as well as its colour does.
#include "heed/insight/draw/links_picture.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "heed/base/error.h"
#include "heed/insight/draw/word_rows.h"

namespace heed::insight {
namespace {

constexpr double kBetweenRows = 8;    // of keys
constexpr double kBetween = 150;      // keys and queries
constexpr double kBetweenBands = 40;  // where they take several rows
constexpr double kWidestLink = 7;

// A row of queries, and above it the keys that they are joined with.
struct Band {
  std::vector<WordRow> keys;
  WordRow queries;
};

// One band with all words where they have room; else a row of queries after the other, each with
// the keys it looks at.
std::vector<Band> bands_of(const MatrixView& view, const std::vector<ViewLink>& links) {
  std::vector<WordRow> queries = word_rows(view.queries);
  const std::vector<WordRow> keys = word_rows(view.keys);
  if (queries.size() == 1 && keys.size() == 1) return {{keys, queries[0]}};
  std::vector<Band> bands;
  for (WordRow& row : queries) {
    std::vector<std::size_t> seen;
    for (const ViewLink& link : links) {
      const auto query = static_cast<std::size_t>(link.query);
      if (std::ranges::count(row.words, query) > 0) {
        seen.push_back(static_cast<std::size_t>(link.key));
      }
    }
    std::ranges::sort(seen);
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    bands.push_back({word_rows(view.keys, seen), std::move(row)});
  }
  return bands;
}

// What lies between keys and queries: black for the classic gray, in which a weight of one is white
// and could not be seen on light ground.
Box field_of(const Band& band, double left, double width) {
  const double top = band.keys.front().boxes.front().y + kBoxHeight;
  return {left, top, width, band.queries.boxes.front().y - top};
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
  std::vector<Band> bands = bands_of(view, links);
  double width = 0;
  for (const Band& band : bands) {
    width = std::max(width, band.queries.width);
    for (const WordRow& row : band.keys) width = std::max(width, row.width);
  }
  double y = 0;
  for (Band& band : bands) {
    if (y > 0) y += kBetweenBands;
    for (WordRow& row : band.keys) {
      move_to(row, name + (width - row.width) / 2, y);
      y += kBoxHeight + kBetweenRows;
    }
    y += kBetween - kBetweenRows;
    move_to(band.queries, name + (width - band.queries.width) / 2, y);
    y += kBoxHeight;
  }
  const double largest = legend_of(view.weights, style.colours).largest;
  const Palette palette = palette_of(style.theme);
  const ColourMap colours(style.colours, style.theme);
  Drawing drawing{.size = {name + width, y}, .ground = palette.ground, .title = view.title};
  drawing.draw = [=](Canvas& canvas) {
    // The heaviest last: it is not hidden by others.
    std::vector<ViewLink> by_weight = links;
    std::ranges::stable_sort(by_weight, {}, &ViewLink::weight);
    const auto name_row = [&](const WordRow& row, const std::string& strip) {
      if (row.boxes.empty()) return;
      canvas.text({0, row.boxes[0].y + kBoxHeight / 2}, strip, {.size = 11, .colour = palette.dim});
    };
    for (const Band& band : bands) {
      const bool on_black = style.colours == Ramp::gray && !band.keys.front().boxes.empty();
      if (on_black) canvas.fill(field_of(band, name, width), colours.blank());
      for (const ViewLink& link : by_weight) {
        const Box* query =
            box_of(std::span(&band.queries, 1), static_cast<std::size_t>(link.query));
        if (query == nullptr) continue;
        const Box& key = *box_of(band.keys, static_cast<std::size_t>(link.key));
        const double share = link.weight / largest;
        canvas.curve({middle_of(key), key.y + key.height}, {middle_of(*query), query->y},
                     {.colour = colours.of(share), .width = 1 + (kWidestLink - 1) * share});
      }
      for (const WordRow& row : band.keys) draw_words(canvas, row, view.keys, palette.faint);
      name_row(band.keys.front(), view.key_strip);
      draw_words(canvas, band.queries, view.queries, palette.faint);
      name_row(band.queries, view.query_strip);
    }
  };
  return drawing;
}

}  // namespace heed::insight
