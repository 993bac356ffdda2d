// SPDX-License-Identifier: Apache-2.0
// The tensors `heed attend` reads, by name; it knows which of them nobody asked for.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/safetensors.h"
#include "heed/base/text.h"
#include "heed/tensor/tensor.h"

namespace heed::cli {

// The input file, which remembers what was asked of it.
class AttendInput {
 public:
  explicit AttendInput(const std::string& path) : file_(path) {}

  const TensorInfo* find(const std::string& name) {
    used_.insert(name);
    return file_.find(name);
  }
  // Not defined when there is none.
  Tensor tensor(const std::string& name) {
    const TensorInfo* info = find(name);
    if (info == nullptr) return {};
    return Tensor::of(shape_of(*info), file_.read<Real>(*info));
  }
  Ids ids(const std::string& name, const Shape& shape) {
    const TensorInfo* info = find(name);
    if (info == nullptr) return {};
    const std::vector<std::int32_t> values = file_.read<std::int32_t>(*info);
    if (static_cast<std::int64_t>(values.size()) != shape.size()) {
      throw UsageError("{}: {} is {}; it takes {}", file_.name(), name, shape_of(*info).text(),
                       shape.text());
    }
    return Ids::of(shape, values);
  }
  // Whole numbers and booleans as 0 and 1.
  Tensor flags(const TensorInfo& info) const {
    Tensor flags(shape_of(info));
    Real* out = flags.mutable_data();
    for (const std::int64_t flag : file_.read<std::int64_t>(info)) *out++ = flag != 0 ? 1 : 0;
    return flags;
  }
  const std::string& name() const { return file_.name(); }

  // A misspelt name would otherwise pass in silence.
  void report_unused() const {
    const std::vector<std::string> known(used_.begin(), used_.end());
    for (const TensorInfo& info : file_.tensors()) {
      if (used_.contains(info.name)) continue;
      const std::string note = fmt::format("heed attend: {}: no use for the tensor \"{}\"{}\n",
                                           file_.name(), info.name, did_you_mean(info.name, known));
      std::fputs(note.c_str(), stderr);
    }
  }

  static Shape shape_of(const TensorInfo& info) {
    const std::vector<std::int64_t> sizes(info.shape.begin(), info.shape.end());
    return Shape(std::span(sizes));
  }

 private:
  SafetensorsFile file_;
  std::set<std::string> used_;
};

}  // namespace heed::cli
