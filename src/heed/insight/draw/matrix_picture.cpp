// SPDX-License-Identifier: Apache-2.0
// Cells are shapes up to some thousand, pixels of one image beyond.
#include "heed/insight/draw/matrix_picture.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "heed/insight/terminal/shade.h"

namespace heed::insight {
namespace {

constexpr double kWidest = 960;  // of all cells, while they can shrink
constexpr double kHighest = 720;
constexpr double kLargestCell = 36;
constexpr double kNumberCell = 26;    // a side that takes ".53"
constexpr double kBorderCell = 9;     // a side that takes a border
constexpr double kNameHeight = 13;    // a line of a name
constexpr double kLongestName = 150;  // above a column
constexpr double kLongestRow = 220;   // before a row: a sentence of eight words
constexpr double kBar = 40;           // the longest bar of sums
constexpr double kGap = 8;
constexpr std::int64_t kMostShapes = 1600;

TextStyle name_style(double room, const Rgb& colour = {}) {
  return {.size = 12, .colour = colour, .room = room};
}

double widest(const std::vector<std::string>& names, double room) {
  double width = 0;
  for (const std::string& name : names) {
    width = std::max(width, text_size(name, name_style(room)).width);
  }
  return width;
}

// Sums of rows and of columns over what is not masked.
struct Sums {
  std::vector<double> rows;
  std::vector<double> columns;
};

Sums sums_of(const Tensor& weights) {
  const auto rows = static_cast<std::size_t>(weights.size(0));
  const auto columns = static_cast<std::size_t>(weights.size(1));
  Sums sums{std::vector<double>(rows), std::vector<double>(columns)};
  const std::vector<Real> values = weights.values();
  for (std::size_t q = 0; q < rows; ++q) {
    for (std::size_t k = 0; k < columns; ++k) {
      const Real weight = values[q * columns + k];
      if (std::isnan(weight)) continue;
      sums.rows[q] += weight;
      sums.columns[k] += weight;
    }
  }
  return sums;
}

// Colours worked out once for all cells: a colour costs a microsecond, and there may be millions.
class Shades {
 public:
  explicit Shades(const ColourMap& colours) : blank_(colours.blank()) {
    for (int i = 0; i <= 2 * kSteps; ++i) {
      // Not quite zero in the middle, which is the smallest weight here.
      const double share = static_cast<double>(i - kSteps) / kSteps;
      shades_.push_back(colours.of(i == kSteps ? 1e-9 : share));
    }
  }
  Rgb of(double share) const {
    if (share == 0) return blank_;
    return shades_[static_cast<std::size_t>(kSteps +
                                            std::lround(kSteps * std::clamp(share, -1., 1.)))];
  }

 private:
  static constexpr int kSteps = 1024;
  Rgb blank_;
  std::vector<Rgb> shades_;
};

class Matrix {
 public:
  Matrix(const MatrixView& view, const PictureStyle& style)
      : view_(view),
        layout_(matrix_layout(view)),
        palette_(palette_of(style.theme)),
        colours_(style.colours, style.theme),
        legend_(legend_of(view.weights, style.colours)),
        values_(view.weights.values()) {}

  void draw(Canvas& canvas) const {
    if (view_.weights.size() > kMostShapes) {
      draw_as_image(canvas);
    } else {
      draw_as_shapes(canvas);
    }
    canvas.outline(layout_.cells, {.colour = palette_.dim});
    draw_names(canvas);
    draw_sums(canvas);
  }

 private:
  std::int64_t rows() const { return view_.weights.size(0); }
  std::int64_t columns() const { return view_.weights.size(1); }
  double weight(std::int64_t q, std::int64_t k) const {
    return values_[static_cast<std::size_t>(q * columns() + k)];
  }

  void draw_as_shapes(Canvas& canvas) const {
    std::vector<Box> masked;
    canvas.fill(layout_.cells, colours_.blank());
    for (std::int64_t q = 0; q < rows(); ++q) {
      for (std::int64_t k = 0; k < columns(); ++k) {
        const Box box = cell_box(layout_, q, k);
        const double value = weight(q, k);
        if (std::isnan(value)) {
          canvas.fill(box, palette_.ground);
          masked.push_back(box);
          continue;
        }
        const Rgb colour = colours_.of(value / legend_.largest);
        if (value != 0) canvas.fill(box, colour);
        if (!layout_.numbers || std::abs(value) < kLeastNumber) continue;
        canvas.text({box.x + box.width / 2, box.y + box.height / 2}, weight_text(value),
                    {.size = std::min(11., layout_.cell / 3),
                     .colour = ink_on(colour),
                     .align = Align::middle});
      }
    }
    if (!masked.empty()) canvas.hatch(masked, palette_.hatch);
    if (layout_.cell < kBorderCell) return;
    const Box& cells = layout_.cells;
    const StrokeStyle border{.colour = palette_.faint, .width = .5};
    for (std::int64_t q = 1; q < rows(); ++q) {
      const double y = cell_box(layout_, q, 0).y;
      canvas.line({cells.x, y}, {cells.x + cells.width, y}, border);
    }
    for (std::int64_t k = 1; k < columns(); ++k) {
      const double x = cell_box(layout_, 0, k).x;
      canvas.line({x, cells.y}, {x, cells.y + cells.height}, border);
    }
  }

  // Masked cells get a hatch of pixels that runs on from one to the next.
  void draw_as_image(Canvas& canvas) const {
    const std::int64_t side = std::max<std::int64_t>(1, std::lround(layout_.cell));
    const std::int64_t width = columns() * side;
    std::vector<Rgb> pixels(static_cast<std::size_t>(rows() * side * width));
    const Shades shades(colours_);
    for (std::int64_t q = 0; q < rows(); ++q) {
      for (std::int64_t k = 0; k < columns(); ++k) {
        const double value = weight(q, k);
        const bool masked = std::isnan(value);
        const Rgb colour = masked ? palette_.ground : shades.of(value / legend_.largest);
        for (std::int64_t y = q * side; y < (q + 1) * side; ++y) {
          for (std::int64_t x = k * side; x < (k + 1) * side; ++x) {
            pixels[static_cast<std::size_t>(y * width + x)] =
                masked && (x + y) % 4 == 0 ? palette_.hatch : colour;
          }
        }
      }
    }
    canvas.cells(layout_.cells, width, pixels);
  }

  void draw_names(Canvas& canvas) const {
    const Box& cells = layout_.cells;
    TextStyle row = name_style(kLongestRow, palette_.ink);
    row.align = Align::end;
    for (std::int64_t q = 0; q < rows(); q += layout_.every) {
      const Box box = cell_box(layout_, q, 0);
      canvas.text({cells.x - kGap, box.y + box.height / 2},
                  view_.queries[static_cast<std::size_t>(q)], row);
    }
    TextStyle column = name_style(kLongestName, palette_.ink);
    column.angle = layout_.angle;
    if (layout_.angle == 0) column.align = Align::middle;
    for (std::int64_t k = 0; k < columns(); k += layout_.every) {
      const Box box = cell_box(layout_, 0, k);
      canvas.text({box.x + box.width / 2, cells.y - kGap - (layout_.angle == 0 ? 3 : 0)},
                  view_.keys[static_cast<std::size_t>(k)], column);
    }
    const TextStyle corner{.size = 11, .colour = palette_.dim, .align = Align::end};
    canvas.text({cells.x - kGap, cells.y - 26}, view_.key_strip + " →", corner);
    canvas.text({cells.x - kGap, cells.y - 11}, view_.query_strip + " ↓", corner);
  }

  void draw_sums(Canvas& canvas) const {
    const Sums sums = sums_of(view_.weights);
    const Box& cells = layout_.cells;
    const double right = cells.x + cells.width + kGap, bottom = cells.y + cells.height + kGap;
    const double thick = std::min(layout_.cell, std::max(1., std::min(layout_.cell - 2, 12.)));
    TextStyle number{.size = 9.5, .colour = palette_.dim};
    const auto length = [](double sum, const std::vector<double>& all) {
      const double most = std::ranges::max(all);
      return most > 0 ? kBar * std::max(0., sum) / most : 0;
    };
    for (std::int64_t q = 0; q < rows(); ++q) {
      const double sum = sums.rows[static_cast<std::size_t>(q)];
      const double middle = cell_box(layout_, q, 0).y + layout_.cell / 2;
      const double long_as = length(sum, sums.rows);
      canvas.fill({right, middle - thick / 2, long_as, thick}, palette_.accent);
      if (layout_.cell < kNameHeight) continue;
      number.align = Align::start;
      canvas.text({right + long_as + 3, middle}, weight_text(sum), number);
    }
    for (std::int64_t k = 0; k < columns(); ++k) {
      const double sum = sums.columns[static_cast<std::size_t>(k)];
      const double middle = cell_box(layout_, 0, k).x + layout_.cell / 2;
      const double long_as = length(sum, sums.columns);
      canvas.fill({middle - thick / 2, bottom, thick, long_as}, palette_.accent);
      if (layout_.cell < kNumberCell) continue;
      number.align = Align::middle;
      canvas.text({middle, bottom + long_as + 8}, weight_text(sum), number);
    }
    number.align = Align::end;
    canvas.text({cells.x - kGap, bottom + 6}, "sums", number);
  }

  MatrixView view_;
  MatrixLayout layout_;
  Palette palette_;
  ColourMap colours_;
  Legend legend_;
  std::vector<Real> values_;
};

}  // namespace

MatrixLayout matrix_layout(const MatrixView& view) {
  const auto rows = static_cast<double>(view.queries.size());
  const auto columns = static_cast<double>(view.keys.size());
  MatrixLayout layout;
  layout.cell =
      std::max(1., std::floor(std::min({kLargestCell, kWidest / columns, kHighest / rows})));
  layout.every = static_cast<std::int64_t>(std::ceil(kNameHeight / layout.cell));
  layout.numbers = layout.cell >= kNumberCell;

  const double name = widest(view.keys, kLongestName);
  layout.angle = name <= layout.cell - 4                                ? 0
                 : layout.cell * static_cast<double>(layout.every) < 20 ? 90
                                                                        : 45;
  const double turn = layout.angle * std::numbers::pi / 180;
  const double above = std::max(34., std::sin(turn) * name + kNameHeight) + kGap;
  const double corner = std::max(text_size(view.key_strip + " →", {.size = 11}).width,
                                 text_size(view.query_strip + " ↓", {.size = 11}).width);
  layout.cells = {std::ceil(std::max(widest(view.queries, kLongestRow), corner) + kGap),
                  std::ceil(above), layout.cell * columns, layout.cell * rows};
  // The last name leans over the bars of the rows' sums.
  const double beyond = std::max(kGap + kBar + 28, std::cos(turn) * name);
  layout.size = {layout.cells.x + layout.cells.width + beyond,
                 layout.cells.y + layout.cells.height + kGap + kBar + 14};
  return layout;
}

Box cell_box(const MatrixLayout& layout, std::int64_t query, std::int64_t key) {
  return {layout.cells.x + layout.cell * static_cast<double>(key),
          layout.cells.y + layout.cell * static_cast<double>(query), layout.cell, layout.cell};
}

Drawing matrix_drawing(const MatrixView& view, const PictureStyle& style) {
  const Matrix matrix(view, style);
  return {.size = matrix_layout(view).size,
          .ground = palette_of(style.theme).ground,
          .title = view.title,
          .draw = [matrix](Canvas& canvas) { matrix.draw(canvas); }};
}

}  // namespace heed::insight
