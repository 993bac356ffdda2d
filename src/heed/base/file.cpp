// SPDX-License-Identifier: Apache-2.0
// Files by POSIX calls, so that every failure has the system's reason and every write a flush.
#include "heed/base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include "heed/base/error.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferBytes = 64 * 1024;
constexpr int kMostLinks = 40;  // what Linux allows

[[noreturn]] void fail(const fs::path& path, std::string_view what, int reason = errno) {
  throw DataError("{}: cannot {}: {}", path.string(), what,
                  std::generic_category().message(reason));
}

// A file descriptor that closes itself; reading ones only, so a failing close loses nothing.
class Descriptor {
 public:
  explicit Descriptor(const fs::path& path, int flags = 0)
      : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags)) {
    if (number_ < 0) fail(path, "be opened");
  }
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

struct stat status_of(const Descriptor& file, const fs::path& path) {
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) fail(path, "be examined");
  return status;
}

void require_regular(const struct stat& status, const fs::path& path) {
  if (S_ISREG(status.st_mode)) return;
  throw DataError("{}: {}, and a regular file is needed", path.string(),
                  S_ISDIR(status.st_mode) ? "is a folder" : "is a device, pipe or socket");
}

// Where a chain of symbolic links ends, whether a file is there or not.
fs::path follow_links(fs::path path) {
  const fs::path start = path;
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
    const fs::path next = fs::read_symlink(path, error);
    if (error) fail(start, "be followed", error.value());
    path = path.parent_path() / next;  // an absolute next replaces all of it
  }
  fail(start, "be followed", ELOOP);
}

fs::path folder_of(const fs::path& path) {
  const fs::path folder = path.parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

// Not mkstemp: its mode is always 0600, and the umask cannot be asked for without changing it.
fs::path temporary_name(const fs::path& target) {
  static std::atomic<unsigned> count{0};
  // A name may have 255 bytes; the suffix needs up to 30 of them.
  const std::string name = target.filename().string().substr(0, 200);
  return folder_of(target) / fmt::format(".{}.tmp-{}-{}", name, ::getpid(), count++);
}

}  // namespace

void make_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return;
  if (fs::exists(fs::symlink_status(folder, error))) {
    throw DataError("{}: is not a folder, and one is to be made there; name another place",
                    folder.string());
  }
  fs::create_directories(folder, error);
  if (error) {
    throw DataError("{}: the folder cannot be made: {}; name another place", folder.string(),
                    error.message());
  }
}

bool is_same_file(const fs::path& one, const fs::path& other) {
  struct stat first {};
  struct stat second {};
  return ::stat(one.c_str(), &first) == 0 && ::stat(other.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

std::string read_file(const fs::path& path) {
  const Descriptor file(path);
  const struct stat status = status_of(file, path);
  std::string content;
  std::size_t size = 0;
  // The size is a guess (pipes and /proc files tell 0): read until the end says so.
  content.resize(static_cast<std::size_t>(status.st_size) + 1);
  for (;;) {
    const ssize_t got = ::read(file.number(), content.data() + size, content.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, "be read");
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size == content.size()) content.resize(2 * size + kBufferBytes);
  }
  content.resize(size);
  return content;
}

MappedFile::MappedFile(fs::path path) : path_(std::move(path)) {
  // O_NONBLOCK: opening a pipe that nobody writes to would wait for ever.
  const Descriptor file(path_, O_NONBLOCK);
  const struct stat status = status_of(file, path_);
  require_regular(status, path_);
  if (status.st_size == 0) return;  // mmap takes no empty ranges
  const auto size = static_cast<std::size_t>(status.st_size);
  void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (mapped == MAP_FAILED) fail(path_, "be mapped into memory");
  data_ = static_cast<const std::byte*>(mapped);
  size_ = size;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)), target_(follow_links(path_)) {
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists) require_regular(status, path_);
  const mode_t mode = exists ? status.st_mode & 07777 : 0666;
  do {
    temporary_ = temporary_name(target_);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) {
    const int reason = errno;
    temporary_.clear();
    fail(path_, "be written", reason);
  }
  // The umask has cut the mode of an existing file. Where it cannot be restored (file systems
  // without modes) the file is only less open than before.
  if (exists) ::fchmod(descriptor_, mode);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  if (descriptor_ < 0) throw InternalError("{}: written after its commit", path_.string());
  if (buffer_.size() + bytes.size() < kBufferBytes) {
    buffer_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return;
  }
  flush();
  write_through(bytes.data(), bytes.size());
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text.data(), text.size())));
}

void AtomicFile::flush() {
  write_through(reinterpret_cast<const std::byte*>(buffer_.data()), buffer_.size());
  buffer_.clear();
}

void AtomicFile::write_through(const std::byte* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(descriptor_, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path_, "be written");
    data += written;
    size -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::commit() {
  if (descriptor_ < 0) throw InternalError("{}: committed twice", path_.string());
  flush();
  if (::fsync(descriptor_) != 0) fail(path_, "be flushed to the disk");
  // Some file systems report a full disk only here.
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(path_, "be closed");
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(path_, "be replaced");
  temporary_.clear();
  const Descriptor folder(folder_of(target_), O_DIRECTORY);
  // EINVAL: a file system that does not flush folders.
  if (::fsync(folder.number()) != 0 && errno != EINVAL) fail(path_, "be flushed to the disk");
}

void write_atomically(const fs::path& path, std::string_view content) {
  write_atomically(path, [content](AtomicFile& file) { file.write(content); });
}

void write_atomically(const fs::path& path, const std::function<void(AtomicFile&)>& write) {
  AtomicFile file(path);
  write(file);
  file.commit();
}

}  // namespace heed
