// SPDX-License-Identifier: Apache-2.0
// Arcs rise with the distance that they span, so that those inside others stay below them.
#include "heed/insight/draw/arcs_picture.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heed/insight/draw/word_rows.h"
#include "heed/insight/terminal/shade.h"

namespace heed::insight {
namespace {

constexpr double kBetweenWords = 18;
constexpr double kLeastWord = 48;  // in rows, where names of heads stand above words
constexpr double kBetweenRows = 22;
constexpr double kNumber = 16;     // the height of what is below a word
constexpr double kFromAbove = 26;  // the length of the root's arrow
constexpr double kName = 13;       // the height of a name above an arrow
constexpr std::size_t kMostNames = 3;
constexpr double kHead = 8;       // of an arrow
constexpr double kArrival = 4;    // beside the middle of the word, where the arc of a head ends
constexpr double kDeparture = 9;  // and where those of its own dependants begin
constexpr double kWidestArc = 4;
constexpr double kDash = 4;
constexpr double kLeastColour = .3;  // the share whose colour a thin line needs to be seen

// An arc between two words of one row.
struct Arch {
  ViewArc arc;
  Point from;
  Point to;
  double height = 0;
};

// An arrow from above to one word: its root, or its heads in other rows, the heaviest first.
struct FromAbove {
  std::vector<ViewArc> arcs = {};
  std::vector<std::string> names = {};
  Point to = {};
  double room = 0;
};

struct ArcRow {
  WordRow words = {};
  double top = 0;  // of its arcs
  std::vector<Arch> arches = {};
  std::vector<FromAbove> arrows = {};
};

double height_over(double distance) {
  return 14 + 4.6 * std::sqrt(distance);
}

double height_of(const FromAbove& arrow) {
  return kFromAbove + kName * static_cast<double>(arrow.names.size());
}

// The arcs of one row's words, laid out above y = 0, where the words begin.
void lay_out_arcs(ArcRow& row, const MatrixView& view, std::span<const ViewArc> arcs) {
  const std::span<const WordRow> here(&row.words, 1);
  for (const std::size_t word : row.words.words) {
    const Box& box = *box_of(here, word);
    FromAbove arrow{.to = {middle_of(box), 0}, .room = box.width + kBetweenWords - 4};
    for (const ViewArc& arc : arcs) {
      if (static_cast<std::size_t>(arc.dependant) != word) continue;
      const Box* head = box_of(here, static_cast<std::size_t>(arc.head));
      if (arc.from_root() || head == nullptr) {
        arrow.arcs.push_back(arc);
        continue;
      }
      const double side = middle_of(*head) < middle_of(box) ? -1 : 1;
      const Point from{middle_of(*head) - side * kDeparture, 0};
      const Point to{middle_of(box) + side * kArrival, -kHead + 1};
      row.arches.push_back({arc, from, to, height_over(std::abs(from.x - to.x))});
    }
    std::ranges::stable_sort(arrow.arcs, std::greater(), &ViewArc::weight);
    if (arrow.arcs.size() > kMostNames) arrow.arcs.resize(kMostNames);
    for (const ViewArc& arc : arrow.arcs) {
      arrow.names.push_back(arc.from_root() ? "root"
                                            : view.keys[static_cast<std::size_t>(arc.head)]);
    }
    if (!arrow.arcs.empty()) row.arrows.push_back(std::move(arrow));
  }
  // The heaviest last: it is not hidden by others.
  std::ranges::stable_sort(row.arches, {}, [](const Arch& arch) { return arch.arc.weight; });
}

double height_of(const ArcRow& row) {
  double height = kFromAbove;
  for (const Arch& arch : row.arches) height = std::max(height, arch.height + kHead);
  for (const FromAbove& arrow : row.arrows) height = std::max(height, height_of(arrow));
  return std::ceil(height + kWidestArc);
}

std::vector<ArcRow> arc_rows(const MatrixView& view, std::span<const ViewArc> arcs) {
  const double least = arcs_take_rows(view) ? kLeastWord : 0;
  std::vector<WordRow> rows = word_rows(view.keys, {.gap = kBetweenWords, .least = least});
  std::vector<ArcRow> all;
  for (WordRow& row : rows) {
    all.push_back({.words = std::move(row)});
    lay_out_arcs(all.back(), view, arcs);
  }
  return all;
}

// What draws one row, its place being where its words begin.
class RowOfArcs {
 public:
  RowOfArcs(Canvas& canvas, const PictureStyle& style, double largest)
      : canvas_(canvas),
        palette_(palette_of(style.theme)),
        colours_(style.colours, style.theme),
        // White, the classic gray's weight of one, could not be seen on light ground.
        ground_(style.colours == Ramp::gray ? colours_.blank() : palette_.ground),
        largest_(largest) {}

  void draw(const ArcRow& row, double width) const {
    const double y = row.words.boxes.front().y;
    if (ground_ != palette_.ground) canvas_.fill({0, row.top, width, y - row.top}, ground_);
    for (const bool likeliest : {false, true}) {
      for (const Arch& arch : row.arches) {
        if (arch.arc.likeliest != likeliest) continue;
        const StrokeStyle stroke = stroke_of(arch.arc);
        canvas_.arch({arch.from.x, y + arch.from.y}, {arch.to.x, y + arch.to.y}, arch.height,
                     stroke);
        canvas_.arrowhead({arch.to.x, y}, kHead, stroke);
      }
    }
    for (const FromAbove& arrow : row.arrows) draw_from_above(arrow, y);
  }

 private:
  StrokeStyle stroke_of(const ViewArc& arc) const {
    const double share = arc.weight / largest_;
    return {.colour = colours_.of(std::max(share, kLeastColour)),
            .width = 1 + (kWidestArc - 1) * share,
            .opacity = arc.likeliest ? 1 : .6 + .4 * share,
            .dash = arc.likeliest ? 0 : kDash};
  }

  void draw_from_above(const FromAbove& arrow, double y) const {
    const StrokeStyle stroke = stroke_of(arrow.arcs.front());
    canvas_.line({arrow.to.x, y - kFromAbove}, {arrow.to.x, y - kHead + 1}, stroke);
    canvas_.arrowhead({arrow.to.x, y}, kHead, stroke);
    double middle = y - kFromAbove - kName / 2;
    for (const std::string& name : arrow.names) {
      const TextStyle text{.size = 10,
                           .colour = ground_ == palette_.ground ? palette_.dim : ink_on(ground_),
                           .align = Align::middle,
                           .room = arrow.room};
      // Arcs that pass make room for it.
      const Size size = text_size(name, text);
      canvas_.fill(
          {arrow.to.x - size.width / 2 - 1, middle - size.height / 2, size.width + 2, size.height},
          ground_);
      canvas_.text({arrow.to.x, middle}, name, text);
      middle -= kName;
    }
  }

  Canvas& canvas_;
  Palette palette_;
  ColourMap colours_;
  Rgb ground_;
  double largest_;
};

}  // namespace

bool arcs_take_rows(const MatrixView& view) {
  return word_rows(view.keys, {.gap = kBetweenWords}).size() > 1;
}

Drawing arcs_drawing(const MatrixView& view, const PictureStyle& style, double share) {
  const std::vector<ViewArc> arcs = arcs_of(view, share);
  std::vector<ArcRow> rows = arc_rows(view, arcs);
  double width = 0;
  for (const ArcRow& row : rows) width = std::max(width, row.words.width);
  const bool from_right = reads_from_right(view.keys);
  double y = 0;
  for (ArcRow& row : rows) {
    if (y > 0) y += kBetweenRows;
    row.top = y;
    y += height_of(row);
    const double shift = from_right ? width - row.words.width : 0;
    move_to(row.words, shift, y);
    for (Arch& arch : row.arches) {
      arch.from.x += shift;
      arch.to.x += shift;
    }
    for (FromAbove& arrow : row.arrows) arrow.to.x += shift;
    y += kBoxHeight + kNumber;
  }
  const Palette palette = palette_of(style.theme);
  const double largest = legend_of(view.weights, style.colours).largest;
  Drawing drawing{.size = {width, y}, .ground = palette.ground, .title = view.title};
  drawing.draw = [=](Canvas& canvas) {
    const RowOfArcs drawn(canvas, style, largest);
    for (const ArcRow& row : rows) {
      drawn.draw(row, width);
      draw_words(canvas, row.words, view.keys, palette.faint);
      for (const ViewArc& arc : arcs) {
        const Box* box = box_of(std::span(&row.words, 1), static_cast<std::size_t>(arc.dependant));
        if (!arc.likeliest || box == nullptr || arc.weight < kLeastNumber) continue;
        canvas.text({middle_of(*box), box->y + box->height + kNumber / 2}, weight_text(arc.weight),
                    {.size = 9.5, .colour = palette.dim, .align = Align::middle});
      }
    }
  };
  return drawing;
}

}  // namespace heed::insight
