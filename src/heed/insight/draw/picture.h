// SPDX-License-Identifier: Apache-2.0
// Pictures of a trace, as SVG or PNG: a matrix, links, a coloured text, a map of all heads, or the
// arcs of a tree.
//
//   write_atomically("cat.svg", insight::svg_picture(read_trace("cat.json")));
//   write_atomically("cat.png", insight::png_picture(document, {.form = PictureForm::links}));
//
// The same document gives the same bytes on a machine with the same fonts.
#pragma once  // public header

#include <cstdint>
#include <string>
#include <vector>

#include "heed/insight/draw/matrix_view.h"
#include "heed/insight/draw/picture_frame.h"
#include "heed/insight/draw/text_picture.h"
#include "heed/insight/trace/trace_document.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

// automatic: a text where one query reads a text (the set "pooling"), else a matrix. arcs are of a
// set whose queries and keys are the same strip.
enum class PictureForm { automatic, matrix, links, text, map, arcs };
const std::vector<std::string>& picture_form_names();

struct PictureOptions {
  PictureForm form = PictureForm::automatic;
  std::size_t example = 0;
  MatrixViewOptions view = {};  // a map shows all heads of its set as they are
  PictureStyle style = {};      // theme and colours
  double mass = .8;             // links: the share of a query's weight that is drawn
  int query = kFewOrMean;       // text: whose weights
  double scale = 2;             // PNG: pixels to a point
  std::string title = {};       // empty: the example's, or the model's
  std::string caption = {};     // of a matrix; empty: that rows look at columns
};

// UsageError for an example, set, layer, head or query that is not there, and for arcs between two
// strips; the message says what there is.
std::string svg_picture(const TraceDocument& document, const PictureOptions& options = {});
std::string png_picture(const TraceDocument& document, const PictureOptions& options = {});

// The form that these options come to for the example they choose.
PictureForm form_of(const TraceDocument& document, const PictureOptions& options);

// The example of this number. UsageError that says how many there are.
const TracedExample& example_of(const TraceDocument& document, std::size_t number);

}  // namespace heed::insight

#pragma GCC visibility pop
