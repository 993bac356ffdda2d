// SPDX-License-Identifier: Apache-2.0
// Labels: the aspects of a classification and the classes of each, counted in the training data,
// and the file a model folder keeps them in.
//
// The file is UTF-8 text, a class per line: aspect, class, how many training texts have it.
//   label<TAB>negative<TAB>3310
//   label<TAB>positive<TAB>3610
#pragma once  // public header

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::text {

struct Aspect {
  std::string name{};
  std::vector<std::string> classes{};   // in the order of their bytes
  std::vector<std::uint64_t> counts{};  // of each class

  bool operator==(const Aspect&) const = default;
  // The class of this name, or -1.
  std::int32_t find(std::string_view label) const;
};

class Labels {
 public:
  Labels() = default;
  // UsageError for no aspect, one without a name and a name given twice.
  explicit Labels(std::span<const std::string> aspects);

  // Counts one text, a label per aspect.
  void add(std::span<const std::string> labels);
  // The classes of one text. DataError that opens with `where` for a label that was never counted.
  std::vector<std::int32_t> classes_of(std::span<const std::string> labels,
                                       const std::string& where) const;

  const std::vector<Aspect>& aspects() const { return aspects_; }
  // DataError with `where` unless every aspect has two classes or more.
  void check(const std::string& where) const;

  // Written atomically; load trusts nothing: DataError with file and line.
  void save(const std::filesystem::path& path) const;
  static Labels load(const std::filesystem::path& path);

  bool operator==(const Labels&) const = default;

 private:
  std::vector<Aspect> aspects_;
};

}  // namespace heed::text

#pragma GCC visibility pop
