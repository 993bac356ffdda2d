// SPDX-License-Identifier: Apache-2.0
// A described model as a picture: boxes in boxes, attention, feed-forward and tables in colours of
// their own, what has no parameters with a broken edge.
#pragma once  // public header

#include <string>

#include "heed/insight/describe/description.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

std::string description_svg(const Description& description);

}  // namespace heed::insight

#pragma GCC visibility pop
