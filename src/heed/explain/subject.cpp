// SPDX-License-Identifier: Apache-2.0
// What a subject says of what it has not.
#include "heed/explain/subject.h"

#include <array>

#include "heed/base/error.h"

namespace heed::explain {

const std::vector<std::string>& removal_names() {
  static const std::vector<std::string> names = {"erase", "mask", "zero"};
  return names;
}

std::vector<std::vector<double>> Subject::factor_gradients(
    std::span<const std::vector<double>>) const {
  throw UsageError(
      "this model has no gradients of its words; explain it by leave_one_out or shapley");
}

std::vector<double> Subject::attention() const {
  throw UsageError("this model has no attention to its words; explain it by leave_one_out");
}

std::vector<double> Subject::attention_gradients() const {
  throw UsageError(
      "this model has no gradients of attention to its words; explain it by leave_one_out");
}

double Subject::output() const {
  const std::array all = {Kept(size(), true)};
  return outputs(all, Removal::erase).front();
}

double Subject::output_of_nothing(Removal removal) const {
  const std::array none = {Kept(size(), false)};
  return outputs(none, removal).front();
}

}  // namespace heed::explain
