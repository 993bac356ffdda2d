// SPDX-License-Identifier: Apache-2.0
// Fuzz targets: each reader of foreign bytes lists itself with what is done to one input.
//
//   bool read_labels(std::string_view bytes) {
//     return accepted([&] { parse_labels(bytes); });
//   }
//   const FuzzTarget kLabels("labels", read_labels);
//
// `make fuzz` mutates the inputs of tests/fuzz/NAME; tests/fuzz/replay_test.cpp reads them as they
// are: those named valid_* must be read, those named bad_* refused.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/error.h"

namespace heed::test {

struct FuzzTarget {
  using Read = bool (*)(std::string_view bytes);  // whether the input was read, or else refused

  FuzzTarget(std::string_view its_name, Read reader) : name(its_name), read(reader) {
    listed().push_back(*this);
  }
  static std::vector<FuzzTarget>& listed() {
    static std::vector<FuzzTarget> all;
    return all;
  }

  std::string_view name;
  Read read;
};

// Whether the action ended well; false when it refused its input as it should. Any other exception
// is a finding and passes through.
template <typename Action>
bool accepted(Action&& action) {
  try {
    action();
    return true;
  } catch (const UsageError&) {
    return false;
  } catch (const DataError&) {
    return false;
  }
}

// A law that readers keep for every input; breaking it is a finding.
inline void require(bool law, const char* what) {
  if (!law) throw InternalError("{}", what);
}

// The parts of an input that holds several: each begins after a line "@NAME" and ends at the next.
inline std::map<std::string, std::string_view> parts_of(std::string_view bytes) {
  std::map<std::string, std::string_view> parts;
  for (std::size_t at = 0; at < bytes.size() && bytes[at] == '@';) {
    const std::size_t name = std::min(bytes.find('\n', at), bytes.size());
    const std::size_t begin = std::min(name + 1, bytes.size());
    const std::size_t end = std::min(bytes.find("\n@", name), bytes.size());
    parts[std::string(bytes.substr(at + 1, name - at - 1))] =
        bytes.substr(begin, std::max(begin, end) - begin);
    at = end + 1;
  }
  return parts;
}

// A file that is in memory only, for readers that take paths: a million of them wear no disk.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("input", MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw DataError("a file in memory cannot be made");
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void hold(std::string_view bytes) {
    if (::ftruncate(descriptor_, 0) != 0 || ::pwrite(descriptor_, bytes.data(), bytes.size(), 0) !=
                                                static_cast<ssize_t>(bytes.size())) {
      throw DataError("a file in memory cannot be written");
    }
  }
  std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
};

}  // namespace heed::test
