// SPDX-License-Identifier: Apache-2.0
// Arcs in the terminal: words in a line with the arcs of their likeliest heads above them, or,
// where the line would be too long, a word to a line with the arcs beside it.
//
//    ╭───╮ ╭───╮ ●        ╭▶ the     cat .95
//    ▼   │ ▼   │ ▼       ╭┴▶ cat     sleeps .80
//   the  cat  sleeps     ╰─● sleeps  root .97
//   .95  .80   .97
#pragma once

#include <string>

#include "heed/insight/draw/matrix_view.h"
#include "heed/insight/terminal/shade.h"

namespace heed::insight {

// Of a view of arcs_view(): lines no wider than the screen, each ended. An arrow points at the word
// that hangs on the other end, a dot is the root. Heads are named and arcs left out where both have
// no room; a screen of 20 columns shows that much.
std::string arcs_text(const MatrixView& view, const Screen& screen = {});

}  // namespace heed::insight
