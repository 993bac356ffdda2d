// SPDX-License-Identifier: Apache-2.0
// Fuzz target of word alignments.
#include "heed/text/pharaoh.h"

#include "heed/base/fuzzing.h"

namespace heed::test {
namespace {

bool read_pharaoh(std::string_view bytes) {
  accepted([&] { text::parse_pharaoh(bytes, {.first = 1}); });
  return accepted([&] {
    const text::Alignment links = text::parse_pharaoh(bytes);
    require(text::parse_pharaoh(text::to_pharaoh(links)) == links, "links come back changed");
  });
}

const FuzzTarget kPharaoh("pharaoh", read_pharaoh);

}  // namespace
}  // namespace heed::test
