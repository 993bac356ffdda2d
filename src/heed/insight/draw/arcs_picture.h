// SPDX-License-Identifier: Apache-2.0
// Arcs over a text: one from the head of each word to it, and an arrow from above for the root.
#pragma once

#include "heed/insight/draw/arcs.h"
#include "heed/insight/draw/canvas.h"
#include "heed/insight/draw/picture_frame.h"

namespace heed::insight {

// Arcs of the likeliest heads are whole lines, those of others that arcs_of(view, share) gives are
// dashed and paler; the number below a word is the weight of its likeliest head. A long text takes
// several rows, where a head in another row is named above an arrow, as the root is. Words that
// read from the right begin there.
Drawing arcs_drawing(const MatrixView& view, const PictureStyle& style, double share = kArcShare);

// Whether the text is too long for one row.
bool arcs_take_rows(const MatrixView& view);

}  // namespace heed::insight
