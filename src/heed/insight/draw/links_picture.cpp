// SPDX-License-Identifier: Apache-2.0
// A link's width shows its weight as well as its colour does.
#include "heed/insight/draw/links_picture.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "heed/base/error.h"

namespace heed::insight {
namespace {

constexpr double kGap = 8;      // between words
constexpr double kPadding = 6;  // inside a word's box
constexpr double kWordHeight = 24;
constexpr double kBetween = 150;      // keys and queries
constexpr double kBetweenBands = 40;  // where they take several rows
constexpr double kWidest = 1400;      // a row of words; more are read from left to right by nobody
constexpr double kWidestLink = 7;
constexpr double kLongestWord = 160;

TextStyle word_style(const Rgb& colour = {}) {
  return {.size = 14, .colour = colour, .align = Align::middle, .room = kLongestWord};
}

// Some words of a strip beside each other, by their boxes.
struct Row {
  std::vector<std::size_t> words;  // their numbers
  std::vector<Box> boxes;
  double width = 0;
};

// All words of a strip in rows of at most `room`.
std::vector<Row> rows_of(const std::vector<std::string>& words,
                         const std::vector<std::size_t>& chosen, double room) {
  std::vector<Row> rows(1);
  for (const std::size_t i : chosen) {
    const double width = std::ceil(text_size(words[i], word_style()).width) + 2 * kPadding;
    if (!rows.back().words.empty() && rows.back().width + width > room) rows.emplace_back();
    Row& row = rows.back();
    row.words.push_back(i);
    row.boxes.push_back({row.width, 0, width, kWordHeight});
    row.width += width + kGap;
  }
  const bool from_right = reads_from_right(words);
  for (Row& row : rows) {
    row.width = std::max(0., row.width - kGap);
    if (!from_right) continue;
    for (Box& box : row.boxes) box.x = row.width - box.x - box.width;
  }
  return rows;
}

std::vector<std::size_t> numbers_of(const std::vector<std::string>& words) {
  std::vector<std::size_t> numbers(words.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

void move_to(Row& row, double x, double y) {
  for (Box& box : row.boxes) {
    box.x += x;
    box.y = y;
  }
}

// A row of queries, and above it the keys that they are joined with.
struct Band {
  std::vector<Row> keys;
  Row queries;
};

// One band with all words where they have room; else a row of queries after the other, each with
// the keys it looks at.
std::vector<Band> bands_of(const MatrixView& view, const std::vector<ViewLink>& links) {
  std::vector<Row> queries = rows_of(view.queries, numbers_of(view.queries), kWidest);
  const std::vector<Row> keys = rows_of(view.keys, numbers_of(view.keys), kWidest);
  if (queries.size() == 1 && keys.size() == 1) return {{keys, queries[0]}};
  std::vector<Band> bands;
  for (Row& row : queries) {
    std::vector<std::size_t> seen;
    for (const ViewLink& link : links) {
      const auto query = static_cast<std::size_t>(link.query);
      if (std::ranges::count(row.words, query) > 0) {
        seen.push_back(static_cast<std::size_t>(link.key));
      }
    }
    std::ranges::sort(seen);
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    bands.push_back({rows_of(view.keys, seen, kWidest), std::move(row)});
  }
  return bands;
}

const Box* box_of(std::span<const Row> rows, std::size_t word) {
  for (const Row& row : rows) {
    const auto found = std::ranges::find(row.words, word);
    if (found != row.words.end()) {
      return &row.boxes[static_cast<std::size_t>(found - row.words.begin())];
    }
  }
  return nullptr;
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
  std::vector<Band> bands = bands_of(view, links);
  double width = 0;
  for (const Band& band : bands) {
    width = std::max(width, band.queries.width);
    for (const Row& row : band.keys) width = std::max(width, row.width);
  }
  double y = 0;
  for (Band& band : bands) {
    if (y > 0) y += kBetweenBands;
    for (Row& row : band.keys) {
      move_to(row, name + (width - row.width) / 2, y);
      y += kWordHeight + kGap;
    }
    y += kBetween - kGap;
    move_to(band.queries, name + (width - band.queries.width) / 2, y);
    y += kWordHeight;
  }
  const double largest = legend_of(view.weights, style.colours).largest;
  const Palette palette = palette_of(style.theme);
  const ColourMap colours(style.colours, style.theme);
  Drawing drawing{.size = {name + width, y}, .ground = palette.ground, .title = view.title};
  drawing.draw = [=](Canvas& canvas) {
    // The heaviest last: it is not hidden by others.
    std::vector<ViewLink> by_weight = links;
    std::ranges::stable_sort(by_weight, {}, &ViewLink::weight);
    const auto draw_row = [&](const Row& row, const std::vector<std::string>& words) {
      for (std::size_t i = 0; i < row.words.size(); ++i) {
        const Box& box = row.boxes[i];
        canvas.fill_rounded(box, 5, palette.faint);
        canvas.text({middle(box), box.y + box.height / 2}, words[row.words[i]],
                    word_style(ink_on(palette.faint)));
      }
    };
    const auto name_row = [&](const Row& row, const std::string& strip) {
      if (row.boxes.empty()) return;
      canvas.text({0, row.boxes[0].y + kWordHeight / 2}, strip,
                  {.size = 11, .colour = palette.dim});
    };
    for (const Band& band : bands) {
      for (const ViewLink& link : by_weight) {
        const Box* query =
            box_of(std::span(&band.queries, 1), static_cast<std::size_t>(link.query));
        if (query == nullptr) continue;
        const Box& key = *box_of(band.keys, static_cast<std::size_t>(link.key));
        const double share = link.weight / largest;
        canvas.curve({middle(key), key.y + key.height}, {middle(*query), query->y},
                     {.colour = colours.of(share), .width = 1 + (kWidestLink - 1) * share});
      }
      for (const Row& row : band.keys) draw_row(row, view.keys);
      name_row(band.keys.front(), view.key_strip);
      draw_row(band.queries, view.queries);
      name_row(band.queries, view.query_strip);
    }
  };
  return drawing;
}

}  // namespace heed::insight
