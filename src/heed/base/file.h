// SPDX-License-Identifier: Apache-2.0
// Files: read whole, read through memory maps, and written so that a crash never leaves half a
// file.
#pragma once  // public header

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)  // exported

namespace heed {

// All errors here are DataErrors that name the path and give the system's reason.

// Makes the folder and those above it, where they are missing.
void make_folder(const std::filesystem::path& folder);

// Whether both names are of one file that exists: by links, by another way to it, or by the same.
bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other);

// The whole content, of pipes and devices too.
std::string read_file(const std::filesystem::path& path);

// A regular file seen as memory, read-only; pages come in when touched. Moving keeps the addresses.
// Heed replaces files by renaming, which leaves an open map whole; a file that another program cuts
// short under the map raises SIGBUS on access, as for every memory map.
class MappedFile {
 public:
  MappedFile() = default;  // no file, no bytes
  explicit MappedFile(std::filesystem::path path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// The next content of path, written to a temporary beside it: `.NAME.tmp-PID-N`. Until commit()
// returns, path holds its old content or none; a full disk, an exception or a kill leave that
// untouched. Without commit() the temporary is removed at the end of the scope; only a kill can
// leave it behind.
// A symbolic link is followed and its target replaced. The mode of an existing file is kept, a new
// file gets 0666 less the umask. Anything but a regular file is refused.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);

  // Flushes the data to the disk, renames the temporary over path, and flushes the folder.
  // Nothing may be written afterwards.
  void commit();

 private:
  void write_through(const std::byte* data, std::size_t size);
  void flush();

  std::filesystem::path path_;       // as the caller named it, for messages
  std::filesystem::path target_;     // path_ with symbolic links followed
  std::filesystem::path temporary_;  // empty once renamed
  int descriptor_ = -1;
  std::string buffer_;  // small writes gather here
};

// Replaces path by content, or by what write puts into the file; all or nothing.
void write_atomically(const std::filesystem::path& path, std::string_view content);
void write_atomically(const std::filesystem::path& path,
                      const std::function<void(AtomicFile&)>& write);

}  // namespace heed

#pragma GCC visibility pop
