// SPDX-License-Identifier: Apache-2.0
// From the end of an archive to its directory, and from there to each entry.
#include "heed/base/stored_zip.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr std::uint32_t kLocal = 0x04034B50;
constexpr std::uint32_t kDirectory = 0x02014B50;
constexpr std::uint32_t kEnd = 0x06054B50;
constexpr std::uint32_t kEnd64 = 0x06064B50;
constexpr std::uint32_t kLocator64 = 0x07064B50;
constexpr std::uint32_t kElsewhere = 0xFFFFFFFF;  // the zip64 field has the number

class Archive {
 public:
  Archive(std::span<const std::byte> bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  std::map<std::string, std::span<const std::byte>> entries() const {
    const Place directory = find_directory();
    std::map<std::string, std::span<const std::byte>> entries;
    struct Extent {
      std::uint64_t begin, end;
    };
    std::vector<Extent> extents;
    std::uint64_t at = directory.offset;
    for (std::uint64_t i = 0; i < directory.count; ++i) {
      const Entry entry = read_entry(at);
      at = entry.next;
      const std::span<const std::byte> content = bytes_.subspan(entry.begin, entry.size);
      if (!entries.emplace(entry.name, content).second) {
        fail(at, "an entry \"{}\" is there twice", entry.name);
      }
      if (entry.size > 0) extents.push_back({entry.begin, entry.begin + entry.size});
    }
    std::ranges::sort(extents, {}, &Extent::begin);
    for (std::size_t i = 1; i < extents.size(); ++i) {
      if (extents[i].begin < extents[i - 1].end) {
        fail(extents[i].begin, "two entries have the same bytes");
      }
    }
    return entries;
  }

 private:
  struct Place {
    std::uint64_t offset = 0;
    std::uint64_t count = 0;
  };
  struct Entry {
    std::string name;
    std::uint64_t begin = 0, size = 0, next = 0;
  };

  template <typename... Arguments>
  [[noreturn]] void fail(std::uint64_t at, fmt::format_string<Arguments...> what,
                         Arguments&&... arguments) const {
    throw DataError("{}: byte {}: {}; fetch the file again", name_, at,
                    fmt::format(what, std::forward<Arguments>(arguments)...));
  }
  // A little-endian number of so many bytes; everything is read by it.
  std::uint64_t number(std::uint64_t at, int width) const {
    const auto size = static_cast<std::uint64_t>(width);
    if (at > bytes_.size() || size > bytes_.size() - at) fail(at, "the archive ends too early");
    std::uint64_t value = 0;
    for (int i = width; i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(bytes_[at + static_cast<std::uint64_t>(i)]);
    }
    return value;
  }

  Place find_directory() const {
    constexpr std::uint64_t kEndBytes = 22;
    constexpr std::uint64_t kMostComment = 0xFFFF;
    if (bytes_.size() < kEndBytes) fail(0, "this is no zip archive");
    const std::uint64_t last = bytes_.size() - kEndBytes;
    const std::uint64_t first = last > kMostComment ? last - kMostComment : 0;
    for (std::uint64_t at = last + 1; at-- > first;) {
      if (number(at, 4) != kEnd || number(at + 20, 2) != last - at) continue;
      Place place{number(at + 16, 4), number(at + 10, 2)};
      const bool longer = place.offset == kElsewhere || place.count == 0xFFFF;
      if (longer && at >= 20 && number(at - 20, 4) == kLocator64) {
        const std::uint64_t end = number(at - 12, 8);
        if (number(end, 4) != kEnd64) fail(end, "the end of a zip64 archive is not where it says");
        place = {number(end + 48, 8), number(end + 32, 8)};
      }
      // An entry of the directory has 46 bytes and more.
      if (place.count > bytes_.size() / 46) fail(at, "{} entries have no room", place.count);
      return place;
    }
    fail(last, "this is no zip archive: its end is missing");
  }

  Entry read_entry(std::uint64_t at) const {
    if (number(at, 4) != kDirectory) fail(at, "no entry of a directory");
    const std::uint64_t flags = number(at + 8, 2);
    const std::uint64_t method = number(at + 10, 2);
    Entry entry;
    const std::uint64_t packed = number(at + 20, 4);
    entry.size = number(at + 24, 4);
    const std::uint64_t name_bytes = number(at + 28, 2);
    const std::uint64_t extra_bytes = number(at + 30, 2);
    const std::uint64_t comment_bytes = number(at + 32, 2);
    std::uint64_t local = number(at + 42, 4);
    const std::uint64_t extra = at + 46 + name_bytes;
    entry.next = extra + extra_bytes + comment_bytes;
    if (entry.next > bytes_.size()) fail(at, "the archive ends too early");
    entry.name.assign(reinterpret_cast<const char*>(bytes_.data()) + at + 46, name_bytes);
    std::uint64_t stored = packed;
    read_long_numbers(extra, extra + extra_bytes, entry.size, stored, local);
    if ((flags & 1) != 0) fail(at, "entry \"{}\" is encrypted", entry.name);
    if (method != 0 || stored != entry.size) {
      fail(at, "entry \"{}\" is compressed; PyTorch stores its entries as they are", entry.name);
    }
    if (number(local, 4) != kLocal) fail(local, "no entry \"{}\"", entry.name);
    entry.begin = local + 30 + number(local + 26, 2) + number(local + 28, 2);
    if (entry.begin > bytes_.size() || entry.size > bytes_.size() - entry.begin) {
      fail(local, "entry \"{}\" of {} bytes lies outside the archive", entry.name, entry.size);
    }
    return entry;
  }

  // Numbers that have no room in 32 bits stand in an extra field, in this order.
  void read_long_numbers(std::uint64_t at, std::uint64_t end, std::uint64_t& size,
                         std::uint64_t& stored, std::uint64_t& local) const {
    while (at + 4 <= end) {
      const std::uint64_t id = number(at, 2);
      const std::uint64_t bytes = number(at + 2, 2);
      if (id == 1) {
        std::uint64_t field = at + 4;
        for (std::uint64_t* wanted : {&size, &stored, &local}) {
          if (*wanted != kElsewhere || field + 8 > at + 4 + bytes) continue;
          *wanted = number(field, 8);
          field += 8;
        }
        return;
      }
      at += 4 + bytes;
    }
  }

  std::span<const std::byte> bytes_;
  const std::string& name_;
};

}  // namespace

std::map<std::string, std::span<const std::byte>> stored_entries(std::span<const std::byte> bytes,
                                                                 const std::string& name) {
  return Archive(bytes, name).entries();
}

}  // namespace heed
