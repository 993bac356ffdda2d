// SPDX-License-Identifier: Apache-2.0
// Marks at the ends of files, where a look is cheap.
#include "heed/base/output_file.h"

#include <array>
#include <cstdint>
#include <fstream>
#include <system_error>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

constexpr std::string_view kPng = "\x89PNG\r\n\x1a\n"sv;
constexpr std::string_view kPngMark = "tEXtSoftware\0heed"sv;
constexpr std::size_t kPngEnd = 12;  // bytes of the last chunk, which is empty
constexpr std::size_t kEndBytes = 4096;

// What files of Heed hold near their beginning or end: pictures and pages; PNG; traces; answers of
// `heed attend`. Weights have none of these: a model is replaced by training it.
constexpr std::array kMarks = {kOutputMark, kPngMark, "heed-trace"sv, kAnswerMark};

// CRC of PNG (ISO 3309), bit by bit: a few bytes only.
std::uint32_t checksum(std::string_view bytes) {
  std::uint32_t sum = 0xFFFFFFFFu;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0xEDB88320u : 0u);
  }
  return ~sum;
}

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(number >> shift & 0xFF);
  }
  return bytes;
}

std::string png_chunk() {
  constexpr std::size_t kKind = 4;
  return big_endian(static_cast<std::uint32_t>(kPngMark.size() - kKind)) + std::string(kPngMark) +
         big_endian(checksum(kPngMark));
}

// The first and the last bytes of a regular file.
std::string ends_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  const std::uintmax_t size = fs::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  std::string ends(kEndBytes, '\0');
  file.read(ends.data(), static_cast<std::streamsize>(ends.size()));
  ends.resize(static_cast<std::size_t>(file.gcount()));
  if (error || size <= kEndBytes) return ends;
  std::string last(kEndBytes, '\0');
  file.seekg(static_cast<std::streamoff>(size - kEndBytes));
  file.read(last.data(), static_cast<std::streamsize>(last.size()));
  return ends + last.substr(0, static_cast<std::size_t>(file.gcount()));
}

}  // namespace

std::string marked(std::string content) {
  if (content.ends_with(fmt::format("{}\n", kOutputMark)) ||
      content.find(kPngMark) != content.npos) {
    return content;
  }
  if (content.starts_with(kPng) && content.size() > kPng.size() + kPngEnd) {
    content.insert(content.size() - kPngEnd, png_chunk());
  } else if (content.starts_with("<svg") || content.starts_with("<?xml") ||
             content.starts_with("<!doctype html>")) {
    content += fmt::format("{}\n", kOutputMark);
  }
  return content;
}

bool is_marked(const fs::path& path) {
  const std::string ends = ends_of(path);
  for (const std::string_view mark : kMarks) {
    if (ends.find(mark) != ends.npos) return true;
  }
  return false;
}

void check_output(const fs::path& path, const OutputCheck& check) {
  for (const fs::path& input : check.inputs) {
    if (input.empty() || !is_same_file(path, input)) continue;
    throw UsageError("{}: is read here and would be written over; name another file",
                     path.string());
  }
  std::error_code ignored;
  if (check.force || !fs::is_regular_file(path, ignored)) return;
  if (fs::file_size(path, ignored) == 0 || is_marked(path)) return;
  throw UsageError(
      "{}: is there already, and nothing in it shows that heed wrote it; name another file, or "
      "replace it with --force",
      path.string());
}

}  // namespace heed
