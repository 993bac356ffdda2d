// SPDX-License-Identifier: Apache-2.0
// The words of SVG pictures: text that is safe inside a tag, and text at a place.
#pragma once

#include <string>
#include <string_view>

#pragma GCC visibility push(default)  // exported

namespace heed {

// With < and & written as entities.
std::string svg_escaped(std::string_view text);

// A <text> element; anchor is start, middle or end.
std::string svg_text(double x, double y, std::string_view text, std::string_view anchor = "middle");

}  // namespace heed

#pragma GCC visibility pop
