// SPDX-License-Identifier: Apache-2.0
// Bytes by POSIX calls and, for gz, by zlib.
#include "heed/text/bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "heed/base/error.h"

namespace heed::text {
namespace {

constexpr std::size_t kBlockBytes = 64 * 1024;

[[noreturn]] void fail(const std::string& name, std::string_view what) {
  throw DataError("{}: cannot be {}: {}", name, what, std::generic_category().message(errno));
}

[[noreturn]] void fail_beyond_end(const std::string& name, std::uint64_t byte) {
  throw DataError("{}: ends before byte {}, where reading should resume: has the file changed?",
                  name, byte);
}

class PlainBytes : public ByteStream {
 public:
  explicit PlainBytes(const std::filesystem::path& path)
      : name_(path == "-" ? "standard input" : path.string()),
        descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) fail(name_, "opened");
    struct stat status {};
    if (::fstat(descriptor_, &status) == 0) {
      if (S_ISDIR(status.st_mode)) {
        close();
        throw DataError("{}: is a folder, and a file of text is needed", name_);
      }
      regular_ = S_ISREG(status.st_mode) && descriptor_ != STDIN_FILENO;
      size_ = static_cast<std::uint64_t>(status.st_size);
    }
    while (head_end_ < head_.size()) {
      const std::size_t got = read_descriptor(std::span(head_).subspan(head_end_));
      if (got == 0) break;
      head_end_ += got;
    }
  }
  ~PlainBytes() override { close(); }
  PlainBytes(const PlainBytes&) = delete;
  PlainBytes& operator=(const PlainBytes&) = delete;

  const std::string& name() const { return name_; }
  bool is_gz() const { return head_end_ == 2 && head_[0] == '\x1f' && head_[1] == '\x8b'; }

  std::size_t read(std::span<char> into) override {
    if (into.empty()) return 0;
    std::size_t got = std::min(into.size(), head_end_ - head_begin_);
    if (got > 0) {
      std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(head_begin_), got, into.begin());
      head_begin_ += got;
    } else {
      got = read_descriptor(into);
    }
    position_ += got;
    return got;
  }

  void seek(std::uint64_t byte) override {
    if (byte == position_) return;
    if (!regular_) {
      throw UsageError("{}: is a stream and cannot be read twice; give a file", name_);
    }
    if (byte > size_) fail_beyond_end(name_, byte);
    if (::lseek(descriptor_, static_cast<off_t>(byte), SEEK_SET) < 0) fail(name_, "read");
    head_begin_ = head_end_;
    position_ = byte;
  }

 private:
  std::size_t read_descriptor(std::span<char> into) {
    for (;;) {
      const ssize_t got = ::read(descriptor_, into.data(), into.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) fail(name_, "read");
    }
  }
  void close() {
    if (descriptor_ > STDIN_FILENO) ::close(std::exchange(descriptor_, -1));
  }

  std::string name_;
  int descriptor_;
  bool regular_ = false;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
  std::array<char, 2> head_{};  // looked at before anybody reads
  std::size_t head_begin_ = 0;
  std::size_t head_end_ = 0;
};

// One or more gz members (RFC 1952), one after the other; zeros may follow.
class GzBytes : public ByteStream {
 public:
  explicit GzBytes(std::unique_ptr<PlainBytes> packed) : packed_(std::move(packed)) {
    constexpr int kGzOnly = 16 + MAX_WBITS;
    if (::inflateInit2(&state_, kGzOnly) != Z_OK) throw InternalError("zlib does not start");
  }
  ~GzBytes() override { ::inflateEnd(&state_); }
  GzBytes(const GzBytes&) = delete;
  GzBytes& operator=(const GzBytes&) = delete;

  std::size_t read(std::span<char> into) override {
    if (into.empty()) return 0;
    state_.next_out = reinterpret_cast<Bytef*>(into.data());
    state_.avail_out = static_cast<uInt>(std::min<std::size_t>(into.size(), 1u << 30));
    const uInt room = state_.avail_out;
    while (state_.avail_out == room && !finished_) step();
    position_ += room - state_.avail_out;
    return room - state_.avail_out;
  }

  void seek(std::uint64_t byte) override {
    if (byte < position_) {
      packed_->seek(0);
      state_.avail_in = 0;
      ::inflateReset(&state_);
      inside_ = between_ = finished_ = false;
      position_ = 0;
    }
    std::vector<char> skipped(kBlockBytes);
    while (position_ < byte) {
      const std::uint64_t most = std::min<std::uint64_t>(byte - position_, skipped.size());
      if (read(std::span(skipped).first(static_cast<std::size_t>(most))) == 0) {
        fail_beyond_end(packed_->name(), byte);
      }
    }
  }

 private:
  // Unpacks some more, or sees that nothing is left.
  void step() {
    if (state_.avail_in == 0) {
      state_.avail_in = static_cast<uInt>(packed_->read({block_.get(), kBlockBytes}));
      state_.next_in = reinterpret_cast<Bytef*>(block_.get());
      if (state_.avail_in == 0) {
        if (inside_) {
          throw DataError("{}: the gz data end too early: the file was cut short; copy it again",
                          packed_->name());
        }
        finished_ = true;
        return;
      }
    }
    if (between_ && *state_.next_in == 0) {  // padding, as tapes leave it
      ++state_.next_in;
      --state_.avail_in;
      return;
    }
    inside_ = true;
    between_ = false;
    const int status = ::inflate(&state_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      inside_ = false;
      between_ = true;
      ::inflateReset(&state_);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw DataError("{}: the gz data are damaged ({}); copy the file again", packed_->name(),
                      state_.msg != nullptr ? state_.msg : "unknown form");
    }
  }

  std::unique_ptr<PlainBytes> packed_;
  z_stream state_{};
  std::unique_ptr<char[]> block_ = std::make_unique_for_overwrite<char[]>(kBlockBytes);
  bool inside_ = false;   // a member that has begun and not ended
  bool between_ = false;  // a member has ended, no other begun
  bool finished_ = false;
  std::uint64_t position_ = 0;
};

}  // namespace

std::unique_ptr<ByteStream> open_bytes(const std::filesystem::path& path) {
  auto plain = std::make_unique<PlainBytes>(path);
  if (!plain->is_gz()) return plain;
  return std::make_unique<GzBytes>(std::move(plain));
}

}  // namespace heed::text
