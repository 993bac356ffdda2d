// SPDX-License-Identifier: Apache-2.0
// Strips of words, or matrices one below the other.
#include "heed/insight/draw/shares_picture.h"

#include <algorithm>
#include <span>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/output_file.h"
#include "heed/insight/draw/matrix_picture.h"
#include "heed/insight/trace/label.h"
#include "heed/insight/trace/signed_set.h"

namespace heed::insight {
namespace {

constexpr double kNameHeight = 24;
constexpr double kBetween = 14;

// To a largest magnitude of 1; zeros stay.
Tensor scaled(const Tensor& shares) {
  const double largest = legend_of(shares, Ramp::blue).largest;
  Tensor found = shares.clone();
  for (std::int64_t i = 0; i < found.size(); ++i) {
    found.mutable_data()[i] = static_cast<Real>(found.data()[i] / largest);
  }
  return found;
}

// One view with a row for each, all being of one query.
MatrixView strips_of(const std::vector<MatrixView>& views, const std::vector<std::string>& names) {
  MatrixView all = views.front();
  all.queries = names;
  all.query_strip = "explainers";
  const std::int64_t keys = all.weights.size(1);
  all.weights = Tensor({static_cast<std::int64_t>(views.size()), keys});
  Real* out = all.weights.mutable_data();
  for (const MatrixView& view : views) out = std::ranges::copy(view.weights.values(), out).out;
  return all;
}

Drawing stacked(const std::vector<MatrixView>& views, const std::vector<std::string>& names,
                const PictureStyle& style) {
  std::vector<Drawing> drawings;
  Drawing all{.ground = palette_of(style.theme).ground, .title = "explanations"};
  for (const MatrixView& view : views) {
    drawings.push_back(matrix_drawing(view, style));
    all.size.width = std::max(all.size.width, drawings.back().size.width);
    all.size.height += kNameHeight + drawings.back().size.height + kBetween;
  }
  const Rgb ink = palette_of(style.theme).ink;
  all.draw = [drawings, names, ink](Canvas& canvas) {
    double height = 0;
    for (std::size_t i = 0; i < drawings.size(); ++i) {
      canvas.text({0, 8}, names[i], {.size = 12, .colour = ink, .bold = true});
      canvas.shift({0, kNameHeight});
      drawings[i].draw(canvas);
      const double down = drawings[i].size.height + kBetween;
      canvas.shift({0, down});
      height += kNameHeight + down;
    }
    canvas.shift({0, -height});
  };
  return all;
}

}  // namespace

std::string svg_of_shares(const TraceDocument& document, const PictureOptions& options) {
  const TracedExample& example = example_of(document, options.example);
  std::vector<MatrixView> views;
  std::vector<std::string> names;
  for (const AttentionSet& set : example.attentions) {
    if (!is_signed(set)) continue;
    MatrixView view = matrix_view(example, {.set = set.kind});
    view.weights = scaled(view.weights);
    names.push_back(method_of(set));
    views.push_back(std::move(view));
  }
  if (views.empty()) {
    throw UsageError("example '{}' has no explanation; heed explain --trace writes them",
                     example.title);
  }
  const bool one_query = views.front().weights.size(0) == 1;
  Frame frame{.style = options.style};
  frame.title = !options.title.empty()   ? options.title
                : !example.title.empty() ? label_of_line(example.title)
                                         : label_of_line(document.model);
  if (one_query) frame.subtitle = views.front().queries.front();
  frame.caption =
      "What speaks for it and what speaks against it (below 0), by each explainer, scaled to the "
      "largest share of each.";
  std::vector<Real> cells;
  for (const MatrixView& view : views) {
    const std::vector<Real> mine = view.weights.values();
    cells.insert(cells.end(), mine.begin(), mine.end());
  }
  const Tensor every =
      Tensor::of({static_cast<std::int64_t>(cells.size())}, std::span<const Real>(cells));
  frame.legend = legend_of(every, options.style.colours);
  const Drawing content = one_query ? text_drawing(strips_of(views, names), options.style)
                                    : stacked(views, names, options.style);
  return marked(svg_of(framed(content, frame)));
}

}  // namespace heed::insight
