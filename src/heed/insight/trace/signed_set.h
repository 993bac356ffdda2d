// SPDX-License-Identifier: Apache-2.0
// Signed sets: how much each key speaks for or against what belongs to a query, as explainers give
// it, in the form of an attention whose weights have no sign.
//
// What speaks for it is head 0 and what speaks against it head 1 of layer 0, of a set whose kind
// begins with "shares: " and goes on with the explainer's written form. Who does not know signed
// sets reads two heads.
#pragma once  // public header

#include <string>
#include <string_view>

#include "heed/insight/trace/trace_document.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

inline constexpr std::string_view kSharesKind = "shares: ";

// shares [Q,K], kMasked where there is none.
AttentionSet signed_set(const std::string& method, const std::string& queries,
                        const std::string& keys, const Tensor& shares);
bool is_signed(const AttentionSet& set);
// What the set was made of: [Q,K]. UsageError for a set that is not signed.
Tensor signed_shares(const AttentionSet& set);
std::string method_of(const AttentionSet& set);

}  // namespace heed::insight

#pragma GCC visibility pop
