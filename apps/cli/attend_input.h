// SPDX-License-Identifier: Apache-2.0
// The tensors `heed attend` reads, by name; it knows which of them were not asked for.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "attend/tensors.h"
#include "heed/base/error.h"
#include "heed/base/safetensors.h"
#include "heed/base/text.h"
#include "heed/base/warning.h"
#include "heed/tensor/tensor.h"

namespace heed::cli {

// The input file, which remembers what was asked of it.
class AttendInput final : public attend::AttendTensors {
 public:
  explicit AttendInput(const std::string& path) : file_(path) {}

  const TensorInfo* find(const std::string& name) {
    used_.insert(name);
    return file_.find(name);
  }
  Tensor tensor(const std::string& name) override {
    const TensorInfo* info = find(name);
    if (info == nullptr) return {};
    const std::vector<Real> values = file_.read<Real>(*info);
    const auto count = std::ranges::count_if(values, [](Real value) { return std::isnan(value); });
    if (count > 0) nans_[name] = count;
    return Tensor::of(shape_of(*info), values);
  }
  Ids ids(const std::string& name, const Shape& shape) override {
    const TensorInfo* info = find(name);
    if (info == nullptr) return {};
    const std::vector<std::int32_t> values = file_.read<std::int32_t>(*info);
    if (static_cast<std::int64_t>(values.size()) != shape.size()) {
      throw UsageError("{}: {} is {}; it takes {}", file_.name(), name, shape_of(*info).text(),
                       shape.text());
    }
    return Ids::of(shape, values);
  }
  // Whole numbers and booleans are 0 and 1.
  std::optional<Mask> mask() override {
    const TensorInfo* info = find("mask");
    if (info == nullptr) return std::nullopt;
    if (is_floating(info->dtype)) return Mask{.values = tensor("mask"), .added = true};
    Mask mask{.values = Tensor(shape_of(*info))};
    Real* out = mask.values.mutable_data();
    for (const std::int64_t flag : file_.read<std::int64_t>(*info)) *out++ = flag != 0 ? 1 : 0;
    return mask;
  }
  const std::string& name() const override { return file_.name(); }

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

  // NaN in, NaN out: right, and easily overlooked.
  void report_nan() const {
    for (const auto& [name, count] : nans_) {
      warn(fmt::format("{}: {} of the values of \"{}\" {} NaN; what looks at them is NaN too",
                       file_.name(), count, name, count == 1 ? "is" : "are"));
    }
  }
  [[noreturn]] void refuse_missing(const std::string& message) const override {
    throw DataError("{}: {}", file_.name(), message);
  }

  static Shape shape_of(const TensorInfo& info) {
    const std::vector<std::int64_t> sizes(info.shape.begin(), info.shape.end());
    return Shape(std::span(sizes));
  }

 private:
  SafetensorsFile file_;
  std::set<std::string> used_;
  std::map<std::string, std::ptrdiff_t> nans_;  // of the tensors that have some
};

}  // namespace heed::cli
