// SPDX-License-Identifier: Apache-2.0
// Explanations side by side, of the signed sets of an example: the words once for each explainer,
// coloured by what speaks for and what against; of an answer in steps a matrix for each.
#pragma once  // public header

#include <string>

#include "heed/insight/draw/picture.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

// Each explainer's shares are scaled to its largest, as their units differ. UsageError for an
// example without a signed set. Of the options the example, the style and the title count.
std::string svg_of_shares(const TraceDocument& document, const PictureOptions& options = {});

}  // namespace heed::insight

#pragma GCC visibility pop
