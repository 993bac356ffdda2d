// SPDX-License-Identifier: Apache-2.0
// Fuzz target of PyTorch's files: a program inside an archive, which may build tensors alone.
#include "heed/base/fuzzing.h"
#include "heed/base/pytorch_file.h"

namespace heed::test {
namespace {

bool read_pytorch_file(std::string_view bytes) {
  return accepted([&] {
    const PytorchFile file = PytorchFile::from_memory(std::as_bytes(std::span(bytes)), "input");
    for (const PytorchTensor& tensor : file.tensors()) {
      require(tensor.count * dtype_bytes(tensor.dtype) <= bytes.size(),
              "a tensor has more values than its file");
      if (!is_floating(tensor.dtype)) continue;
      std::vector<float> values(tensor.count);
      file.read<float>(tensor, values);
    }
  });
}

const FuzzTarget kPytorchFile("pytorch_file", read_pytorch_file);

}  // namespace
}  // namespace heed::test
