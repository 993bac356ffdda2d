// SPDX-License-Identifier: Apache-2.0
// Data given with a call (lengths, masks, ...) and the parts that read it. Data that no part of a
// mechanism reads would change nothing in silence, so it is refused.
#pragma once

#include <string>

#include "heed/attention/written/card.h"
#include "heed/attention/written/spec.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

bool reads(const Card& card, Given given);

// "lengths", "a mask", ...: what a message calls it.
std::string given_text(Given given);

// UsageError that points at a pattern without what it reads, and says what to write: data that no
// call can give, such as centres, must come from a bias of the same heads.
void check_givers(const Spec& spec);

// The spec with a part that reads `given` in every group of heads that has none: `& padding`,
// `& segments`, `& tensor` or `+ tensor`. Bounds belong to normalisers, and centres to
// biases: these are left as they are.
Spec with_reader(Spec spec, Given given);

}  // namespace heed::attention

#pragma GCC visibility pop
