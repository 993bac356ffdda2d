// SPDX-License-Identifier: Apache-2.0
// Each form drawn, then framed with its title, legend and caption.
#include "heed/insight/draw/picture.h"

#include <fmt/format.h>

#include <string_view>

#include "heed/base/error.h"
#include "heed/base/output_file.h"
#include "heed/insight/draw/arcs_picture.h"
#include "heed/insight/draw/links_picture.h"
#include "heed/insight/draw/map_picture.h"
#include "heed/insight/draw/matrix_picture.h"
#include "heed/insight/terminal/shade.h"
#include "heed/insight/trace/label.h"

namespace heed::insight {
namespace {

constexpr std::string_view kSmallOnes = " Without a number it is below .005.";

// What was done to the weights that a reader could not see.
std::string changes_of(const MatrixViewOptions& view) {
  std::string text;
  if (view.merge_words) text += " Pieces of words are merged.";
  if (view.hide_special) text += " Ends and other special tokens are left out.";
  if (view.normalise == Normalise::rows) text += " Rows are scaled to sum to one.";
  if (view.normalise == Normalise::columns) text += " Columns are scaled to sum to one.";
  if (view.threshold > 0) {
    text += fmt::format(" Weights below {} are left out.", weight_text(view.threshold));
  }
  return text;
}

Drawing map_picture(const TracedExample& example, const PictureOptions& options, Frame frame) {
  const AttentionSet& set = set_of(example, options.view.set);
  frame.subtitle = fmt::format("{}, all layers and heads", set.kind);
  frame.caption = fmt::format(
      "Each small matrix is one head, {} down and {} across; a cell is the largest weight of those "
      "it stands for. Below it: mean entropy of a row, share of cells above zero.",
      set.queries, set.keys);
  for (const TracedHead& head : set.heads) {
    const Legend legend = legend_of(head.weights, options.style.colours);
    frame.legend.zeros |= legend.zeros;
    frame.legend.masked |= legend.masked;
  }
  frame.legend.largest = options.style.colours == Ramp::gray ? 1 : 0;
  return framed(map_drawing(set, options.style), frame);
}

Drawing look_picture(const TracedExample& example, const PictureOptions& options, PictureForm form,
                     Frame frame) {
  MatrixView view = form == PictureForm::arcs ? arcs_view(example, options.view)
                                              : matrix_view(example, options.view);
  frame.subtitle = view.title;
  Drawing drawing;
  switch (form) {
    case PictureForm::links:
      drawing = links_drawing(view, options.style, options.mass);
      frame.caption =
          fmt::format("For each {} token the heaviest links that hold {:.0f}% of its weight.",
                      view.query_strip, 100 * options.mass);
      break;
    case PictureForm::text:
      view = text_view(view, options.query);
      drawing = text_drawing(view, options.style);
      frame.caption =
          fmt::format("How much each {} token was looked at.{}{}", view.key_strip, kSmallOnes,
                      view.chooses ? " Those of at least one half are underlined." : "");
      break;
    case PictureForm::arcs:
      drawing = arcs_drawing(view, options.style, arc_share(options.view));
      frame.caption = fmt::format(
          "An arc leads to each {} token from its head, the one it looks at most, whose weight "
          "stands below; a token's weight on itself is the root's. Dashed are other heads{}.",
          view.query_strip,
          options.view.threshold > 0 ? "" : " with a tenth of its weight or more");
      if (arcs_take_rows(view)) frame.caption += " Heads in another row are named above.";
      break;
    default:
      drawing = matrix_drawing(view, options.style);
      frame.caption = !options.caption.empty()
                          ? options.caption
                          : fmt::format(
                                "Each row is a {} token; its cells show how much it looked "
                                "at each {} token.",
                                view.query_strip, view.key_strip);
      if (matrix_layout(view).numbers) frame.caption += kSmallOnes;
  }
  frame.caption += changes_of(options.view);
  frame.legend = legend_of(view.weights, options.style.colours);
  if (form == PictureForm::arcs) frame.legend.zeros = frame.legend.masked = false;  // no arcs
  return framed(std::move(drawing), frame);
}

Drawing drawing_of(const TraceDocument& document, const PictureOptions& options) {
  const TracedExample& example = example_of(document, options.example);
  Frame frame{.style = options.style};
  frame.title = !options.title.empty()   ? options.title
                : !example.title.empty() ? label_of_line(example.title)
                                         : label_of_line(document.model);
  const PictureForm form = form_of(document, options);
  return form == PictureForm::map ? map_picture(example, options, std::move(frame))
                                  : look_picture(example, options, form, std::move(frame));
}

}  // namespace

const std::vector<std::string>& picture_form_names() {
  static const std::vector<std::string> names = {"auto", "matrix", "links", "text", "map", "arcs"};
  return names;
}

const TracedExample& example_of(const TraceDocument& document, std::size_t number) {
  const std::size_t count = document.examples.size();
  if (number < count) return document.examples[number];
  if (count == 0) throw UsageError("no example {}; this trace has none", number);
  throw UsageError("no example {}; this trace has {}, from 0 to {}", number, count, count - 1);
}

PictureForm form_of(const TraceDocument& document, const PictureOptions& options) {
  if (options.form != PictureForm::automatic) return options.form;
  const TracedExample& example = example_of(document, options.example);
  return set_of(example, options.view.set).kind == "pooling" ? PictureForm::text
                                                             : PictureForm::matrix;
}

std::string svg_picture(const TraceDocument& document, const PictureOptions& options) {
  return marked(svg_of(drawing_of(document, options)));
}

std::string png_picture(const TraceDocument& document, const PictureOptions& options) {
  return marked(png_of(drawing_of(document, options), options.scale));
}

}  // namespace heed::insight
