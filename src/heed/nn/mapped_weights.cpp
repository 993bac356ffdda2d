// SPDX-License-Identifier: Apache-2.0
// Tensors over the bytes of a file.
#include "heed/nn/mapped_weights.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "heed/base/safetensors.h"

namespace heed::nn {
namespace {

bool is_shape(const TensorInfo& info, const Shape& shape) {
  if (info.shape.size() != static_cast<std::size_t>(shape.rank())) return false;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (info.shape[static_cast<std::size_t>(axis)] != static_cast<std::size_t>(shape[axis])) {
      return false;
    }
  }
  return true;
}

// Whether every parameter can look at its tensor of the file, and none is left over.
bool can_be_mapped(const Parameters& parameters, const SafetensorsFile& file) {
  if (parameters.size() != file.tensors().size()) return false;
  return std::ranges::all_of(parameters, [&](const Parameter& parameter) {
    const TensorInfo* const info = file.find(parameter.name);
    if (info == nullptr || info->dtype != dtype_of<Real>() ||
        !is_shape(*info, parameter.variable.shape()) || parameter.variable.value().size() == 0) {
      return false;
    }
    return reinterpret_cast<std::uintptr_t>(file.bytes(*info).data()) % alignof(Real) == 0;
  });
}

}  // namespace

void load_mapped(const Parameters& parameters, const std::string& path) {
  const auto file = std::make_shared<const SafetensorsFile>(path);
  if (!can_be_mapped(parameters, *file)) {
    load(parameters, path);  // or it says what does not fit
    return;
  }
  for (const Parameter& parameter : parameters) {
    Variable shared = parameter.variable;  // of one value with the module's
    const std::span<const std::byte> bytes = file->bytes(file->at(parameter.name));
    shared.mutable_value() =
        Tensor::over(reinterpret_cast<const Real*>(bytes.data()), shared.shape(), {}, file);
  }
}

}  // namespace heed::nn
