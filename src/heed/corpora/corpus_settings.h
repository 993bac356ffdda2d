// SPDX-License-Identifier: Apache-2.0
// What can be chosen of one corpus beside its size and its lengths, such as how deep its lists
// nest: whole numbers, by name.
#pragma once  // public header

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

struct CorpusSetting {
  std::string_view name;
  std::int64_t value = 0;  // unless another is given
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::string_view help = {};  // no full stop
};

// The value of each setting of the corpus `name`, in their order; `given` are words such as
// "depth=4". UsageError for a word of another form, a name that is none of them, and a value
// outside its range.
std::vector<std::int64_t> chosen_settings(std::string_view name,
                                          std::span<const CorpusSetting> settings,
                                          std::span<const std::string> given);

}  // namespace heed::corpora

#pragma GCC visibility pop
