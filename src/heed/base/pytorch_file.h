// SPDX-License-Identifier: Apache-2.0
// pytorch_model.bin: a zip archive with a pickle, which is a program, and the values of tensors.
// Python runs whatever that program says. This reader has a machine that can build names, numbers
// and tensors and nothing else; a program that asks for more is refused with what it asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/dtype.h"
#include "heed/base/file.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

struct PytorchTensor {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<std::size_t> shape;
  std::vector<std::size_t> strides;      // in values
  std::span<const std::byte> storage{};  // of all tensors that share it
  std::size_t offset = 0;                // of the first value
  std::size_t count = 0;
};

// A file whose program has been run and all of whose tensors lie inside their storages. Everything
// wrong is a DataError with path and byte offset.
class PytorchFile {
 public:
  explicit PytorchFile(const std::filesystem::path& path);
  // The same checks on bytes in memory, which must live as long as this.
  static PytorchFile from_memory(std::span<const std::byte> bytes, std::string name);

  const std::string& name() const { return name_; }
  const std::vector<PytorchTensor>& tensors() const { return tensors_; }  // sorted by name
  // The values of a tensor of a floating dtype, rows last; `values` has tensor.count places.
  template <typename T>
  void read(const PytorchTensor& tensor, std::span<T> values) const;

 private:
  PytorchFile(MappedFile file, std::span<const std::byte> bytes, std::string name);

  MappedFile file_;  // empty when the bytes are the caller's
  std::string name_;
  std::vector<PytorchTensor> tensors_;
};

}  // namespace heed

#pragma GCC visibility pop
