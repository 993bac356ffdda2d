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

namespace {

[[noreturn]] void refuse_vectors() {
  throw UsageError(
      "this model has no gradients of its words; explain it by leave_one_out or shapley");
}

}  // namespace

Vectors Subject::vectors() const {
  refuse_vectors();
}

std::vector<double> Subject::outputs_at(std::span<const Vectors>) const {
  refuse_vectors();
}

std::vector<Vectors> Subject::gradients_at(std::span<const Vectors>) const {
  refuse_vectors();
}

std::vector<double> Subject::attention() const {
  throw UsageError("this model has no attention to its words; explain it by leave_one_out");
}

std::vector<double> Subject::attention_gradients() const {
  throw UsageError(
      "this model has no gradients of attention to its words; explain it by leave_one_out");
}

Looks Subject::looks() const {
  throw UsageError(
      "this model has no layers of attention over its words; explain it by leave_one_out or "
      "shapley");
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
