// SPDX-License-Identifier: Apache-2.0
// libFuzzer target of the safetensors reader, with a mutator that gets past the header's size.
#include "heed/base/safetensors_fuzz.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

constexpr std::size_t kSizeBytes = 8;

constexpr std::array<std::string_view, 24> kTokens = {"\"dtype\":",
                                                      "\"shape\":",
                                                      "\"data_offsets\":",
                                                      "\"__metadata__\":",
                                                      "\"F32\"",
                                                      "\"F16\"",
                                                      "\"BF16\"",
                                                      "\"F64\"",
                                                      "\"I64\"",
                                                      "\"I32\"",
                                                      "\"I8\"",
                                                      "\"U8\"",
                                                      "\"BOOL\"",
                                                      "[0,8]",
                                                      "[2]",
                                                      "[]",
                                                      "{}",
                                                      "{",
                                                      "}",
                                                      "[",
                                                      "]",
                                                      "\"a\":",
                                                      ",",
                                                      "0"};

// Puts a word of the format at a place of the header; its new size.
std::size_t insert_token(std::uint8_t* header, std::size_t size, std::size_t most, unsigned seed) {
  const std::string_view token = kTokens[seed % kTokens.size()];
  if (size + token.size() > most) return size;
  const std::size_t at = seed / kTokens.size() % (size + 1);
  std::memmove(header + at + token.size(), header + at, size - at);
  std::memcpy(header + at, token.data(), token.size());
  return size + token.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // libFuzzer gives a heap block of exactly this size: AddressSanitizer sees the first byte read
  // beyond it.
  heed::test::parse_and_read_everything(std::as_bytes(std::span(data, size)));
  return 0;
}

// Changes the header or the data, and mostly puts the header's true size in front: a random change
// of the size field ends nearly every input at the first check.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  if (size < kSizeBytes + 2 || seed % 16 == 0) return LLVMFuzzerMutate(data, size, most);
  std::uint64_t stored = 0;
  std::memcpy(&stored, data, kSizeBytes);
  const std::size_t header = std::min<std::uint64_t>(stored, size - kSizeBytes);
  const std::size_t behind = size - kSizeBytes - header;
  std::uint8_t* const begin = data + kSizeBytes;
  if (seed % 16 < 4) {  // the data
    const std::size_t room = most - kSizeBytes - header;
    return kSizeBytes + header + LLVMFuzzerMutate(begin + header, behind, room);
  }
  // The header: it grows and shrinks in front of the data, which move along.
  std::array<std::uint8_t, 4096> moved;
  if (behind > moved.size()) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(moved.data(), begin + header, behind);
  const std::size_t room = most - kSizeBytes - behind;
  const std::size_t changed = seed % 16 < 9 ? insert_token(begin, header, room, seed / 16)
                                            : LLVMFuzzerMutate(begin, header, room);
  std::memcpy(begin + changed, moved.data(), behind);
  const std::uint64_t true_size = changed;
  std::memcpy(data, &true_size, kSizeBytes);
  return kSizeBytes + changed + behind;
}
