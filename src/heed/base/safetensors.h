// SPDX-License-Identifier: Apache-2.0
// Safetensors files: named tensors after a JSON header, read through a memory map by a reader that
// trusts nothing, and written all or nothing.
//
// The format: 8 bytes, the header's size N as a little-endian number; N bytes of JSON, padded with
// spaces; then the data, without gaps. The header is one object:
//   {"__metadata__": {"key": "value"},
//    "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
// Offsets count from the end of the header; values are little-endian, rows last.
#pragma once  // public header

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/dtype.h"
#include "heed/base/file.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

// The largest header there may be: that of the format's own library.
inline constexpr std::uint64_t kMostSafetensorsHeaderBytes = 100'000'000;

struct TensorInfo {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<std::size_t> shape;  // empty: a single value
  std::uint64_t offset = 0;        // of the first byte, from the beginning of the file
  std::uint64_t bytes = 0;

  std::size_t count() const { return static_cast<std::size_t>(bytes / dtype_bytes(dtype)); }
};

// A file whose whole header has been checked: every tensor lies inside the file, has the bytes its
// shape asks for, and together they cover the data without overlap or gap. Everything wrong is a
// DataError with path and byte offset.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);

  // The same checks on bytes in memory, which must live as long as this; `name` stands for the path
  // in messages.
  static SafetensorsFile from_memory(std::span<const std::byte> bytes, std::string name);

  const std::string& name() const { return name_; }
  const std::vector<TensorInfo>& tensors() const { return tensors_; }  // sorted by name
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

  // The tensor of that name; find gives nullptr when there is none, at throws a DataError that
  // names the nearest.
  const TensorInfo* find(std::string_view name) const;
  const TensorInfo& at(std::string_view name) const;

  // The stored bytes, in the map: no copy, and possibly not aligned for their type.
  std::span<const std::byte> bytes(const TensorInfo& info) const;

  // The values as T: float or double from any floating dtype, std::int64_t, int32_t, int8_t or
  // uint8_t from any whole-number dtype and BOOL. DataError when the dtype is of the other sort or
  // a value does not fit into T; rounding is no error.
  template <typename T>
  std::vector<T> read(const TensorInfo& info) const;
  // Into memory of the caller's, which must have info.count() places (else UsageError).
  template <typename T>
  void read(const TensorInfo& info, std::span<T> values) const;

 private:
  SafetensorsFile(MappedFile file, std::span<const std::byte> bytes, std::string name);

  MappedFile file_;  // empty when the bytes are the caller's
  std::span<const std::byte> bytes_;
  std::string name_;
  std::vector<TensorInfo> tensors_;
  std::map<std::string, std::string> metadata_;
};

// Collects tensors, then writes them in one go. The data are not copied: they must live until
// write() returns. The order in the file is fixed (larger dtypes first, then by name), so equal
// content gives equal bytes, and every tensor is aligned for its type.
class SafetensorsWriter {
 public:
  SafetensorsWriter() = default;
  // Rounded numbers are its own, and what will be written points to them.
  SafetensorsWriter(const SafetensorsWriter&) = delete;
  SafetensorsWriter& operator=(const SafetensorsWriter&) = delete;
  SafetensorsWriter(SafetensorsWriter&&) = default;
  SafetensorsWriter& operator=(SafetensorsWriter&&) = default;

  // UsageError for a name that is empty, taken, "__metadata__" or not UTF-8, and for data that do
  // not have the size of the shape.
  void add(std::string name, DType dtype, std::vector<std::size_t> shape,
           std::span<const std::byte> data);
  template <typename T>
  void add(std::string name, std::vector<std::size_t> shape, std::span<const T> values) {
    add(std::move(name), dtype_of<T>(), std::move(shape), std::as_bytes(values));
  }
  template <typename T>
  void add(std::string name, std::vector<std::size_t> shape, const std::vector<T>& values) {
    add(std::move(name), std::move(shape), std::span<const T>(values));
  }

  // Copies the values, rounded to nearest, ties to even, to a floating dtype. UsageError for
  // another dtype, and for a finite value that the dtype has no room for: it would be read as
  // infinity.
  template <typename T>
  void add_rounded(std::string name, DType dtype, std::vector<std::size_t> shape,
                   std::span<const T> values);

  // UsageError for text that is not UTF-8; a key set again takes the new value.
  void set_metadata(std::string key, std::string value);

  // Replaces the file atomically: see AtomicFile.
  void write(const std::filesystem::path& path) const;

 private:
  struct Entry {
    DType dtype;
    std::vector<std::size_t> shape;
    std::span<const std::byte> data;
  };
  std::map<std::string, Entry> entries_;
  std::deque<std::vector<std::byte>> rounded_;  // a deque, for what it holds stays where it is
  std::map<std::string, std::string> metadata_;
};

}  // namespace heed

#pragma GCC visibility pop
