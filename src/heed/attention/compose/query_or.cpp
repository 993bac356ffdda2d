// SPDX-License-Identifier: Apache-2.0
// Controls that are linear in the query, and the option that asks for one.
#include "heed/attention/compose/query_or.h"

#include <fmt/format.h>

#include "heed/attention/compose/head_weights.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {

void QueryControl::build(std::int64_t numbers, std::int64_t query_width, std::int64_t heads,
                         Random& random) {
  W = head_parameter(heads, [&] { return nn::glorot_uniform({numbers, query_width}, random); });
  b = head_parameter(heads, [&] { return Tensor::zeros({numbers}); });
}

void QueryControl::visit(nn::ParameterVisitor& visitor) {
  visitor("W", W);
  visitor("b", b);
}

Variable QueryControl::operator()(const Variable& query) const {
  return project_heads(query, W) + along_heads(b, 1);
}

std::string QueryOr::text() const {
  return by_query ? "query" : fmt::format("{}", number);
}

void QueryOr::read(const std::string& text) {
  by_query = text == "query";
  if (by_query) return;
  try {
    number = parse_number(text, "");
  } catch (const UsageError&) {
    throw UsageError("found \"{}\"; it takes a finite number, or query for one that the query says",
                     shorten(text, 24));
  }
}

}  // namespace heed::attention
