// SPDX-License-Identifier: Apache-2.0
// The attentions of a classifier besides those of its encoder over one text, as observers are told
// of them.
#pragma once

#include "heed/attention/site.h"

namespace heed::models {

inline constexpr attention::Site kSecondSite{
    .role = attention::Role::self, .set = "second self", .queries = "second", .keys = "second"};
inline constexpr attention::Site kSentenceSite{.role = attention::Role::self,
                                               .set = "encoder self",
                                               .queries = "text",
                                               .keys = "text",
                                               .by_sentence = true};
inline constexpr attention::Site kWordsSite{.role = attention::Role::words,
                                            .set = "words",
                                            .queries = "sentences",
                                            .keys = "text",
                                            .by_sentence = true};
inline constexpr attention::Site kCrossSite{
    .role = attention::Role::cross, .set = "cross", .queries = "second", .keys = "text"};
inline constexpr attention::Site kQuestionSite{
    .role = attention::Role::question, .set = "question", .queries = "question", .keys = "second"};

}  // namespace heed::models
