// SPDX-License-Identifier: Apache-2.0
// Words flow into lines, each with its number below it.
#include "heed/insight/draw/text_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "heed/base/error.h"
#include "heed/insight/draw/chosen_words.h"
#include "heed/insight/terminal/shade.h"

namespace heed::insight {
namespace {

constexpr int kMostStrips = 4;
constexpr double kWidth = 720;
constexpr double kPadding = 5;
constexpr double kGap = 4;
constexpr double kWordHeight = 24;
constexpr double kLineHeight = 46;  // a word, its number, a gap
constexpr double kNameHeight = 22;
constexpr double kLongestWord = 300;
constexpr double kUnderline = 2.5;

TextStyle word_style(const Rgb& colour = {}) {
  return {.size = 14, .colour = colour, .align = Align::middle, .room = kLongestWord};
}

struct Flow {
  std::vector<Box> boxes;
  Size size;
};

Flow flow_of(const std::vector<std::string>& words) {
  Flow flow;
  double x = 0, y = 0;
  for (const std::string& word : words) {
    const double width =
        std::max(22., std::ceil(text_size(word, word_style()).width) + 2 * kPadding);
    if (x > 0 && x + width > kWidth) {
      x = 0;
      y += kLineHeight;
    }
    flow.boxes.push_back({x, y, width, kWordHeight});
    x += width + kGap;
    flow.size.width = std::max(flow.size.width, x - kGap);
  }
  flow.size.height = y + kLineHeight;
  if (reads_from_right(words)) {
    for (Box& box : flow.boxes) box.x = flow.size.width - box.x - box.width;
  }
  return flow;
}

// A line below the words of a run, broken where their lines are.
void underline(Canvas& canvas, const WordRun& run, std::span<const Box> boxes, const Rgb& colour) {
  for (std::size_t begin = run.begin, end = run.begin; begin < run.end; begin = end) {
    double left = boxes[begin].x, right = boxes[begin].x;
    for (; end < run.end && boxes[end].y == boxes[begin].y; ++end) {
      left = std::min(left, boxes[end].x);
      right = std::max(right, boxes[end].x + boxes[end].width);
    }
    const double y = boxes[begin].y + kWordHeight + kUnderline / 2;
    canvas.line({left, y}, {right, y}, {.colour = colour, .width = kUnderline});
  }
}

}  // namespace

MatrixView text_view(const MatrixView& view, int query) {
  const std::int64_t queries = view.weights.size(0), keys = view.weights.size(1);
  if (query >= queries || query < kMeanOfQueries) {
    throw UsageError("no query {}; '{}' has {}, from 0 to {}", query, view.query_strip, queries,
                     queries - 1);
  }
  if (query == kFewOrMean && queries <= kMostStrips) return view;
  MatrixView chosen = view;
  if (query >= 0) {
    chosen.queries = {view.queries[static_cast<std::size_t>(query)]};
    chosen.weights = view.weights.slice(0, query, query + 1);
    return chosen;
  }
  chosen.queries = {fmt::format("mean of {} queries", queries)};
  chosen.weights = Tensor({1, keys});
  for (std::int64_t k = 0; k < keys; ++k) {
    double sum = 0;
    int seen = 0;
    for (const Real weight : view.weights.select(1, k).values()) {
      if (std::isnan(weight)) continue;
      sum += weight;
      ++seen;
    }
    chosen.weights.mutable_data()[k] = seen > 0 ? static_cast<Real>(sum / seen) : kMasked;
  }
  return chosen;
}

Drawing text_drawing(const MatrixView& view, const PictureStyle& style) {
  const Flow flow = flow_of(view.keys);
  const double largest = legend_of(view.weights, style.colours).largest;
  const Palette palette = palette_of(style.theme);
  const ColourMap colours(style.colours, style.theme);
  const double height = kNameHeight + flow.size.height;
  Drawing drawing{.size = {flow.size.width, height * static_cast<double>(view.queries.size())},
                  .ground = palette.ground,
                  .title = view.title};
  drawing.draw = [=](Canvas& canvas) {
    const std::vector<Real> weights = view.weights.values();
    for (std::size_t q = 0; q < view.queries.size(); ++q) {
      const double top = height * static_cast<double>(q);
      canvas.text({0, top + 8}, view.queries[q], {.size = 12, .colour = palette.dim, .bold = true});
      std::vector<Box> boxes = flow.boxes;
      for (Box& box : boxes) box.y += top + kNameHeight;
      for (std::size_t i = 0; i < view.keys.size(); ++i) {
        const Box& box = boxes[i];
        const double weight = weights[q * view.keys.size() + i];
        const bool masked = std::isnan(weight);
        const Rgb ground = masked ? palette.ground : colours.of(weight / largest);
        canvas.fill_rounded(box, 4, ground);
        if (masked) canvas.hatch(std::vector<Box>{box}, palette.faint);
        if (masked || weight == 0) canvas.outline(box, {.colour = palette.faint});
        const Point middle{box.x + box.width / 2, box.y + box.height / 2};
        canvas.text(middle, view.keys[i], word_style(ink_on(ground)));
        if (masked || std::abs(weight) < kLeastNumber) continue;
        canvas.text({middle.x, box.y + box.height + 8}, weight_text(weight),
                    {.size = 9.5, .colour = palette.dim, .align = Align::middle});
      }
      if (!view.chooses) continue;
      const auto row = weights.begin() + static_cast<std::ptrdiff_t>(q * view.keys.size());
      const std::vector<double> own(row, row + static_cast<std::ptrdiff_t>(view.keys.size()));
      for (const WordRun& run : chosen_runs(own)) underline(canvas, run, boxes, palette.ink);
    }
  };
  return drawing;
}

}  // namespace heed::insight
