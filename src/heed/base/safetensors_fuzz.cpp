// SPDX-License-Identifier: Apache-2.0
// Fuzz target of the safetensors reader, with a mutator that gets past the header's size.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "heed/base/fuzzing.h"
#include "heed/base/safetensors.h"

// Weak: the test that replays the corpus links no libFuzzer.
extern "C" [[gnu::weak]] std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                                      std::size_t most);

namespace heed::test {
namespace {

// Reads every tensor in every form.
bool read_safetensors(std::string_view bytes) {
  return accepted([&] {
    const SafetensorsFile file =
        SafetensorsFile::from_memory(std::as_bytes(std::span(bytes.data(), bytes.size())), "input");
    for (const TensorInfo& info : file.tensors()) {
      // A value that does not fit is a DataError of that reading, not of the file.
      accepted([&] { file.read<float>(info); });
      accepted([&] { file.read<double>(info); });
      accepted([&] { file.read<std::int64_t>(info); });
      accepted([&] { file.read<std::int32_t>(info); });
      accepted([&] { file.read<std::int8_t>(info); });
      accepted([&] { file.read<std::uint8_t>(info); });
      require(file.find(info.name) == &info, "a tensor is not found by its name");
    }
  });
}

const FuzzTarget kSafetensors("safetensors", read_safetensors);

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
}  // namespace heed::test

// Changes the header or the data, and mostly puts the header's true size in front: a random change
// of the size field ends nearly every input at the first check.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using heed::test::insert_token;
  using heed::test::kSizeBytes;
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
