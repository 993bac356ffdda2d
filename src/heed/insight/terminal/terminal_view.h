// SPDX-License-Identifier: Apache-2.0
// A trace in the terminal: the forms of pictures as lines of text.
#pragma once  // public header

#include <string>

#include "heed/insight/draw/picture.h"
#include "heed/insight/terminal/shade.h"
#include "heed/insight/trace/trace_document.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

// matrix is a heatmap, text highlighted words, links a line for each query ("chat  cat .91"), map a
// table of every head's entropy and density, arcs the words with lines of box-drawing characters
// from the likeliest head of each. What else the trace holds is said at the end. Theme
// and colours are the screen's, and the options' style, scale and title are for pictures. Errors
// are those of svg_picture.
std::string terminal_view(const TraceDocument& document, const PictureOptions& options = {},
                          const Screen& screen = {});

}  // namespace heed::insight

#pragma GCC visibility pop
