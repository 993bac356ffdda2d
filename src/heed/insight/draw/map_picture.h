// SPDX-License-Identifier: Apache-2.0
// The map of a model: every layer and head of a set as a small matrix, with its entropy and
// density.
#pragma once

#include "heed/insight/draw/canvas.h"
#include "heed/insight/draw/picture_frame.h"
#include "heed/insight/trace/trace_document.h"

namespace heed::insight {

// Where the thumbnail of a head is; layers go down, heads across.
Box thumbnail_box(const AttentionSet& set, int layer, int head);

// Cells are the largest of the weights they stand for, so that single spikes are seen, and are
// coloured by the head's own scale. UsageError for a set without heads.
Drawing map_drawing(const AttentionSet& set, const PictureStyle& style);

}  // namespace heed::insight
