// SPDX-License-Identifier: Apache-2.0
// Every end of an arc above a line has a column of its own, so that none hides another.
#include "heed/insight/terminal/arcs_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "heed/base/text.h"
#include "heed/insight/draw/arcs.h"
#include "heed/insight/draw/picture_frame.h"
#include "heed/insight/terminal/box_lines.h"

namespace heed::insight {
namespace {

constexpr std::size_t kGap = 2;        // between words
constexpr std::size_t kLeastName = 6;  // columns of a word in a line of its own
constexpr std::string_view kRoot = "●";

// What an arc spans: columns of a line, or lines.
struct Reach {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool meets(const Reach& other) const { return begin <= other.end && other.begin <= end; }
};

// How high each arc rises, from 1: short ones first, each to the lowest height at which it meets no
// other. So a long one passes over all that it spans, whose heights, and those below, are taken.
std::vector<std::size_t> heights_of(const std::vector<Reach>& arcs) {
  std::vector<std::size_t> order(arcs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return arcs[i].end - arcs[i].begin; });
  std::vector<std::size_t> heights(arcs.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    const Reach& arc = arcs[order[place]];
    std::vector<std::size_t> taken;
    for (std::size_t before = 0; before < place; ++before) {
      if (arc.meets(arcs[order[before]])) taken.push_back(heights[order[before]]);
    }
    std::size_t height = 1;
    while (std::ranges::count(taken, height) > 0) ++height;
    heights[order[place]] = height;
  }
  return heights;
}

std::size_t highest(const std::vector<std::size_t>& heights) {
  return heights.empty() ? 0 : *std::ranges::max_element(heights);
}

std::string without_spaces_at_its_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

// The words of a line, with the columns in which the arcs of each begin or end.
struct Line {
  std::vector<std::size_t> begins;  // the first column of each word's cell
  std::vector<std::size_t> widths;  // of these
  std::vector<std::size_t> heads;   // by arc: the column at its head
  std::vector<std::size_t> dependants;
  std::size_t width = 0;
};

// The ends of arcs at this word from left to right, so that arcs that do not cross as arcs do not
// cross here either: those to the left, the nearest first, the root's, those to the right, the
// farthest first. Of two that join the same words the later is the farther.
std::vector<std::size_t> ends_at(std::size_t word, const std::vector<ViewArc>& arcs) {
  std::vector<std::tuple<int, std::int64_t, std::int64_t, std::size_t>> ends;
  const auto here = static_cast<std::int64_t>(word);
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    if (arcs[i].dependant != here && arcs[i].head != here) continue;
    const std::int64_t other = arcs[i].dependant == here ? arcs[i].head : arcs[i].dependant;
    const auto number = static_cast<std::int64_t>(i);
    if (other < here) ends.emplace_back(0, here - other, number, i);
    if (other == here) ends.emplace_back(1, 0, 0, i);
    if (other > here) ends.emplace_back(2, here - other, -number, i);
  }
  std::ranges::sort(ends);
  std::vector<std::size_t> numbers;
  for (const auto& end : ends) numbers.push_back(std::get<3>(end));
  return numbers;
}

Line line_of(const MatrixView& view, const std::vector<ViewArc>& arcs) {
  Line line;
  line.heads.resize(arcs.size());
  line.dependants.resize(arcs.size());
  for (std::size_t word = 0; word < view.keys.size(); ++word) {
    const std::vector<std::size_t> ends = ends_at(word, arcs);
    std::size_t width = std::max(display_width(view.keys[word]), ends.size());
    for (const std::size_t i : ends) {
      width = std::max(width, weight_text(arcs[i].weight).size());
    }
    const std::size_t begin = line.width + (word > 0 ? kGap : 0);
    const std::size_t step = width + 1 >= 2 * ends.size() ? 2 : 1;
    const std::size_t extent = ends.empty() ? 0 : step * (ends.size() - 1) + 1;
    for (std::size_t place = 0; place < ends.size(); ++place) {
      const std::size_t column = begin + (width - extent) / 2 + step * place;
      const ViewArc& arc = arcs[ends[place]];
      const bool is_head = arc.head == static_cast<std::int64_t>(word);
      if (is_head) line.heads[ends[place]] = column;
      if (!is_head || arc.from_root()) line.dependants[ends[place]] = column;
    }
    line.begins.push_back(begin);
    line.widths.push_back(width);
    line.width = begin + width;
  }
  return line;
}

// Texts in the middle of the cells of a line; `shown` is what stands for them where they are.
std::string cells_text(const Line& line, const std::vector<std::string>& texts,
                       const std::vector<std::string>& shown) {
  std::string text;
  std::size_t column = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::size_t width = display_width(texts[i]);
    if (width == 0) continue;
    const std::size_t at = line.begins[i] + (line.widths[i] - width) / 2;
    text += std::string(at - column, ' ') + shown[i];
    column = at + width;
  }
  return text + "\n";
}

std::string arcs_above(const MatrixView& view, const std::vector<ViewArc>& arcs, const Line& line,
                       const Screen& screen) {
  std::vector<Reach> reaches;
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    const auto [begin, end] = std::minmax(line.heads[i], line.dependants[i]);
    reaches.push_back({begin, end});
  }
  const std::vector<std::size_t> heights = heights_of(reaches);
  const std::size_t bottom = highest(heights);
  BoxLines lines(bottom + 1, line.width);
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    const std::size_t top = bottom - heights[i];
    lines.across(top, line.heads[i], line.dependants[i]);
    lines.down(line.heads[i], top, bottom);
    lines.down(line.dependants[i], top, bottom);
    if (arcs[i].from_root()) lines.mark(top, line.heads[i], kRoot);
    lines.mark(bottom, line.dependants[i], "▼");
  }
  std::string text;
  for (std::size_t row = 0; !arcs.empty() && row <= bottom; ++row) {
    text += without_spaces_at_its_end(lines.text(row));
  }
  const double largest = legend_of(view.weights, screen.colours).largest;
  std::vector<std::string> numbers(view.keys.size()), shaded_numbers(view.keys.size());
  for (const ViewArc& arc : arcs) {
    const auto word = static_cast<std::size_t>(arc.dependant);
    numbers[word] = weight_text(arc.weight);
    shaded_numbers[word] = shaded(numbers[word], arc.weight / largest, screen);
  }
  return text + cells_text(line, view.keys, view.keys) + cells_text(line, numbers, shaded_numbers);
}

// Of each of two names, where this many columns are left: gaps and a number take eight.
std::size_t name_room(std::size_t columns) {
  return columns < 8 + 2 * kLeastName ? kLeastName : (columns - 8) / 2;
}

// A word to a line; arcs rise to the left.
std::string arcs_beside(const MatrixView& view, const std::vector<ViewArc>& arcs,
                        const Screen& screen) {
  std::vector<Reach> reaches;
  std::vector<ViewArc> joined;
  for (const ViewArc& arc : arcs) {
    if (arc.from_root()) continue;
    const auto [begin, end] = std::minmax(arc.head, arc.dependant);
    reaches.push_back({static_cast<std::size_t>(begin), static_cast<std::size_t>(end)});
    joined.push_back(arc);
  }
  const std::vector<std::size_t> heights = heights_of(reaches);
  const std::size_t depth = highest(heights);
  BoxLines lines(view.keys.size(), depth + 1);
  for (std::size_t i = 0; i < joined.size(); ++i) {
    const std::size_t column = depth - heights[i];
    lines.across(static_cast<std::size_t>(joined[i].head), column, depth);
    lines.across(static_cast<std::size_t>(joined[i].dependant), column, depth);
    lines.down(column, reaches[i].begin, reaches[i].end);
  }
  const std::size_t margin = depth + 2;
  const bool drawn = margin + 8 + 2 * kLeastName <= screen.width;
  const std::size_t room = name_room(drawn ? screen.width - margin : screen.width);
  std::vector<std::string> heads(view.keys.size(), "nothing");
  const double largest = legend_of(view.weights, screen.colours).largest;
  for (const ViewArc& arc : arcs) {
    const auto dependant = static_cast<std::size_t>(arc.dependant);
    lines.mark(dependant, depth, arc.from_root() ? kRoot : "▶");
    heads[dependant] = fmt::format(
        "{} {}",
        arc.from_root() ? "root" : shorten(view.keys[static_cast<std::size_t>(arc.head)], room),
        shaded(weight_text(arc.weight), arc.weight / largest, screen));
  }
  std::size_t width = 0;
  for (const std::string& word : view.keys) width = std::max(width, display_width(word));
  width = std::min(width, room);
  std::string text;
  for (std::size_t word = 0; word < view.keys.size(); ++word) {
    if (drawn) text += lines.text(word) + " ";
    text += pad_right(shorten(view.keys[word], room), width + 2) + heads[word] + "\n";
  }
  return text;
}

}  // namespace

std::string arcs_text(const MatrixView& view, const Screen& screen) {
  const std::vector<ViewArc> arcs = arcs_of(view, 1);
  const Line line = line_of(view, arcs);
  return line.width <= screen.width ? arcs_above(view, arcs, line, screen)
                                    : arcs_beside(view, arcs, screen);
}

}  // namespace heed::insight
