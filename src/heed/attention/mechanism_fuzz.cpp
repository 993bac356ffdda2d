// SPDX-License-Identifier: Apache-2.0
// Fuzz target of written mechanisms: read, written again, and made of the parts there are.
#include "heed/attention/mechanism.h"

#include <new>

#include "heed/base/fuzzing.h"
#include "heed/tensor/memory_use.h"

namespace heed::test {
namespace {

bool read_mechanism(std::string_view bytes) {
  return accepted([&] {
    const attention::Spec spec = attention::parse_spec(bytes);
    require(attention::parse_spec(attention::written(spec)) == spec, "a spec comes back changed");
    Random random(1);
    const MemoryLimit limit(1 << 20);
    try {
      attention::Mechanism mechanism(
          bytes, {.query_width = 6, .key_width = 6, .value_width = 4, .heads = 4, .key_heads = 2},
          random);
      require(attention::parse_spec(mechanism.written()) == spec, "a mechanism is written changed");
      nn::parameters(mechanism);
    } catch (const std::bad_alloc&) {
      throw UsageError("more parameters than there is memory for");
    }
  });
}

const FuzzTarget kMechanism("mechanism", read_mechanism);

}  // namespace
}  // namespace heed::test
