// SPDX-License-Identifier: Apache-2.0
// Passages of who went, took and put what where, with a question whose answer is in one sentence.
#pragma once

#include <cstdint>

#include "heed/base/random.h"
#include "heed/corpora/corpus.h"

namespace heed::corpora {

inline constexpr std::int64_t kFactAnswers = 18;  // six rooms, six containers, six people

// Three to eight sentences and a question: where somebody is, where a thing lies, or who has it.
// The last sentence about the one asked for decides; earlier ones may say otherwise. The label is
// the answer; as many turns as there are answers give each of them once.
Example draw_fact(Random& random, std::int64_t turn);

}  // namespace heed::corpora
