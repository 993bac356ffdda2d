// SPDX-License-Identifier: Apache-2.0
// The keys as a text, each word on a ground as strong as the weight it got.
#pragma once

#include "heed/insight/draw/canvas.h"
#include "heed/insight/draw/matrix_view.h"
#include "heed/insight/draw/picture_frame.h"

namespace heed::insight {

inline constexpr int kFewOrMean = -1;
inline constexpr int kMeanOfQueries = -2;

// The view with these queries only. query: its number; kMeanOfQueries; or kFewOrMean: every query
// while there are four at most, as a classifier's aspects are, else their mean. UsageError for a
// query that is not there.
MatrixView text_view(const MatrixView& view, int query = kFewOrMean);

// The words once for each query of the view. Where queries choose keys, words of at least one half
// are underlined, neighbours by one line.
Drawing text_drawing(const MatrixView& view, const PictureStyle& style);

}  // namespace heed::insight
