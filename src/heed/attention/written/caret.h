// SPDX-License-Identifier: Apache-2.0
// Messages that point: the text a mistake is in, and a caret under the place.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heed::attention {

// message, the text around place indented by two spaces on a line of its own, and the caret on the
// next:
//
//   there is no pattern "causl" (did you mean "causal"?)
//     dot | causl
//           ^
//
// White space shows as spaces, what is no text as "?"; of a long text the part around place is
// shown. place may be the text's end.
std::string with_caret(std::string_view message, std::string_view text, std::size_t place);

}  // namespace heed::attention
