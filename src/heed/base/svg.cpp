// SPDX-License-Identifier: Apache-2.0
// Elements are written out by hand: pictures are small, and every byte of them is ours.
#include "heed/base/svg.h"

#include <fmt/format.h>

namespace heed {

std::string svg_escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<') {
      safe += "&lt;";
    } else if (c == '&') {
      safe += "&amp;";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string svg_text(double x, double y, std::string_view text, std::string_view anchor) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     svg_escaped(text));
}

}  // namespace heed
