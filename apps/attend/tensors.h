// SPDX-License-Identifier: Apache-2.0
// AttendTensors: the tensors that a mechanism is run on, by name, wherever they come from.
#pragma once

#include <optional>
#include <string>

#include "heed/base/error.h"
#include "heed/tensor/tensor.h"

namespace heed::attend {

class AttendTensors {
 public:
  virtual ~AttendTensors() = default;

  // Where they come from, for messages.
  virtual const std::string& name() const = 0;
  // Not defined when there is none.
  virtual Tensor tensor(const std::string& name) = 0;
  // The same; UsageError unless there are as many as the shape has.
  virtual Ids ids(const std::string& name, const Shape& shape) = 0;

  struct Mask {
    Tensor values{};
    bool added = false;  // numbers to add, instead of 1 and 0 for allowed and forbidden
  };
  virtual std::optional<Mask> mask() = 0;
  // Says that tensors are missing: a UsageError, or what suits the place they come from.
  [[noreturn]] virtual void refuse_missing(const std::string& message) const {
    throw UsageError("{}: {}", name(), message);
  }
};

}  // namespace heed::attend
