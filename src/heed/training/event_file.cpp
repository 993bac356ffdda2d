// SPDX-License-Identifier: Apache-2.0
// The few messages of TensorFlow's event.proto that a scalar needs, written byte by byte.
#include "heed/training/event_file.h"

#include <array>
#include <bit>
#include <cstring>

namespace heed::training {
namespace {

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0u);
    table[byte] = crc;
  }
  return table;
}

template <typename Number>
std::string little_endian(Number number) {
  static_assert(std::endian::native == std::endian::little);
  std::string bytes(sizeof(number), '\0');
  std::memcpy(bytes.data(), &number, sizeof(number));
  return bytes;
}

std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  bytes += static_cast<char>(number);
  return bytes;
}

// Fields of a protocol buffer: a number, how it is written, its value.
enum Wire : std::uint64_t { kVarint = 0, kEightBytes = 1, kLength = 2, kFourBytes = 5 };
std::string field(std::uint64_t number, Wire wire, std::string_view value) {
  std::string bytes = varint(number << 3 | wire);
  if (wire == kLength) bytes += varint(value.size());
  return bytes.append(value);
}

std::string masked_checksum(std::string_view bytes) {
  return little_endian(std::rotr(crc32c(bytes), 15) + 0xa282ead8u);
}

std::string record(std::string_view event) {
  const std::string length = little_endian(std::uint64_t{event.size()});
  return (length + masked_checksum(length)).append(event) + masked_checksum(event);
}

// Event: wall_time = 1, step = 2, file_version = 3, summary = 5.
std::string version_event(double seconds) {
  return record(field(1, kEightBytes, little_endian(seconds)) + field(3, kLength, "brain.Event:2"));
}

// Summary: value = 1; Summary.Value: tag = 1, simple_value = 2.
std::string scalar_event(double seconds, const std::string& tag, const CurvePoint& point) {
  const std::string value =
      field(1, kLength, tag) + field(2, kFourBytes, little_endian(static_cast<float>(point.value)));
  return record(field(1, kEightBytes, little_endian(seconds)) +
                field(2, kVarint, varint(static_cast<std::uint64_t>(point.update))) +
                field(5, kLength, field(1, kLength, value)));
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static constexpr auto kTable = crc_table();
  std::uint32_t crc = ~0u;
  for (const char byte : bytes) {
    crc = kTable[(crc ^ static_cast<std::uint8_t>(byte)) & 0xFF] ^ (crc >> 8);
  }
  return ~crc;
}

std::string event_file(const Curve& curve, double seconds) {
  std::string bytes = version_event(seconds);
  for (const auto& [name, points] : curve.series()) {
    for (const CurvePoint& point : points) bytes += scalar_event(seconds, name, point);
  }
  return bytes;
}

}  // namespace heed::training
