// SPDX-License-Identifier: Apache-2.0
// Fuzz target of dependency trees.
#include "heed/text/heads.h"

#include "heed/base/fuzzing.h"

namespace heed::test {
namespace {

bool read_heads(std::string_view bytes) {
  return accepted([&] {
    const text::Heads heads = text::parse_heads(bytes);
    require(text::parse_heads(text::write_heads(heads)) == heads, "heads come back changed");
  });
}

const FuzzTarget kHeads("heads", read_heads);

}  // namespace
}  // namespace heed::test
