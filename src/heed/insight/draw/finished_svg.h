// SPDX-License-Identifier: Apache-2.0
// What Cairo writes as SVG, finished: named the same way every time, titled, its images sharp.
#pragma once

#include <string>
#include <string_view>

namespace heed::insight {

// Cairo numbers images and groups through the life of a process; here they are renumbered, so
// that the same picture has the same bytes. The title goes to screen readers and tooltips.
std::string finished_svg(std::string_view written, std::string_view title);

}  // namespace heed::insight
