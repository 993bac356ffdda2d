// SPDX-License-Identifier: Apache-2.0
// Peak memory from Linux: the high-water mark of the resident set, reset to its present value.
#include "heed/tensor/peak_memory.h"

#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <future>
#include <string>

#include "heed/tensor/allocator.h"

namespace heed {
namespace {

// A line of /proc/self/status, "VmHWM:     1234 kB", in bytes.
std::optional<std::int64_t> status(const std::string& name) {
  std::ifstream file("/proc/self/status");
  std::string word;
  std::int64_t kilobytes = 0;
  while (file >> word) {
    if (word == name + ":" && file >> kilobytes) return kilobytes * 1024;
  }
  return {};
}

bool reset_peak() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

}  // namespace

std::optional<std::int64_t> peak_growth(const std::function<void()>& run) {
  release_cached_blocks();
  malloc_trim(0);
  const bool told = reset_peak();
  const auto before = status("VmRSS");
  std::async(std::launch::async, run).get();
  const auto peak = status("VmHWM");
  if (!told || !before || !peak) return {};
  return std::max<std::int64_t>(0, *peak - *before);
}

}  // namespace heed
