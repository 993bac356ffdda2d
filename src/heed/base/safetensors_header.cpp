// SPDX-License-Identifier: Apache-2.0
// Reads a safetensors header event by event: nothing is recursive, nesting ends at the third level,
// and a name that occurs twice is seen.
#include "heed/base/safetensors_header.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed {
namespace {

using nlohmann::json;

constexpr std::size_t kSizeBytes = 8;  // the header's size is in front of it

// What the header says of one tensor, before it is compared with the others and the file.
struct Entry {
  TensorInfo info;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t place = 0;  // byte of the file just after its name: for messages
};

class Complaint {
 public:
  explicit Complaint(const std::string& path) : path_(path) {}

  template <typename... Parts>
  [[noreturn]] void operator()(std::uint64_t byte, fmt::format_string<Parts...> text,
                               Parts&&... parts) const {
    throw DataError("{}: byte {}: {}", path_, byte,
                    fmt::format(text, std::forward<Parts>(parts)...));
  }

 private:
  const std::string& path_;
};

// A name from the file as a message may show it: short, and without control characters.
std::string shown(std::string_view name) {
  const std::string quoted = json(name).dump(-1, ' ', false, json::error_handler_t::replace);
  return shorten(quoted, 80);
}

// Walks over the header and tells how far it is: SAX events do not carry their place.
class CountingIterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** reached) : at_(at), reached_(reached) {}
  const char& operator*() const { return *at_; }
  CountingIterator& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    const CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** reached_;
};

// The SAX handler of nlohmann::json. Every event either belongs where it comes or is an error, so
// the JSON is never more than {name: {field: [numbers]}}.
class HeaderReader {
 public:
  HeaderReader(std::string_view header, Complaint complain)
      : header_(header), reached_(header.data()), complain_(complain) {}

  void run() {
    const char* end = header_.data() + header_.size();
    // Complaints throw out of the parser, so it cannot return false.
    json::sax_parse(CountingIterator(header_.data(), &reached_), CountingIterator(end, &reached_),
                    this);
  }

  std::vector<Entry> entries;
  std::map<std::string, std::string> metadata;

  // The events.
  bool null() { wrong("null"); }
  bool boolean(bool) { wrong("true or false"); }
  bool number_integer(json::number_integer_t value) {
    complain_(place(), "{} is negative: sizes and offsets are not", value);
  }
  bool number_unsigned(json::number_unsigned_t value) {
    if (where_ == Where::kShape) {
      entries.back().info.shape.push_back(value);
    } else if (where_ == Where::kOffsets && offsets_ < 2) {
      (offsets_++ == 0 ? entries.back().begin : entries.back().end) = value;
    } else if (where_ == Where::kOffsets) {
      complain_(place(), "data_offsets has more than two numbers: it takes begin and end");
    } else {
      wrong("a number");
    }
    return true;
  }
  bool number_float(json::number_float_t, const std::string& text) {
    complain_(place(), "{} is not a whole number below 2^64, as sizes and offsets are",
              shorten(text, 40));
  }
  bool string(std::string& value) {
    if (where_ == Where::kMetadata) {
      if (!metadata.emplace(key_, std::move(value)).second) {
        complain_(place(), "the metadata key {} occurs twice", shown(key_));
      }
    } else if (where_ == Where::kTensor && key_ == "dtype") {
      const std::optional<DType> dtype = dtype_from_name(value);
      if (!dtype) complain_(place(), "dtype {} is unknown: {}", shown(value), known_dtypes());
      entries.back().info.dtype = *dtype;
    } else {
      wrong("a text");
    }
    return true;
  }
  bool binary(json::binary_t&) { wrong("binary data"); }

  bool start_object(std::size_t) {
    if (where_ == Where::kStart) {
      where_ = Where::kRoot;
    } else if (where_ == Where::kRoot && key_ == "__metadata__") {
      if (std::exchange(has_metadata_, true)) complain_(place(), "__metadata__ occurs twice");
      where_ = Where::kMetadata;
    } else if (where_ == Where::kRoot) {
      Entry& entry = entries.emplace_back();
      entry.info.name = key_;
      entry.place = place_of_name_;
      has_dtype_ = has_shape_ = has_offsets_ = false;
      where_ = Where::kTensor;
    } else {
      wrong("an object");
    }
    return true;
  }
  bool key(std::string& name) {
    if (where_ == Where::kRoot) {
      if (name.empty()) complain_(place(), "a tensor has the empty name");
      place_of_name_ = place();
    } else if (where_ == Where::kTensor) {
      bool* has = name == "dtype"          ? &has_dtype_
                  : name == "shape"        ? &has_shape_
                  : name == "data_offsets" ? &has_offsets_
                                           : nullptr;
      if (has == nullptr) {
        complain_(place(), "tensor {} has the field {}: dtype, shape and data_offsets are known",
                  tensor(), shown(name));
      }
      if (std::exchange(*has, true)) {
        complain_(place(), "tensor {} has the field {} twice", tensor(), name);
      }
    }
    key_ = std::move(name);
    return true;
  }
  bool end_object() {
    if (where_ == Where::kTensor) {
      const char* missing = !has_dtype_     ? "dtype"
                            : !has_shape_   ? "shape"
                            : !has_offsets_ ? "data_offsets"
                                            : nullptr;
      if (missing != nullptr) complain_(place(), "tensor {} has no {}", tensor(), missing);
    }
    where_ = where_ == Where::kRoot ? Where::kEnd : Where::kRoot;
    return true;
  }
  bool start_array(std::size_t) {
    if (where_ == Where::kTensor && key_ == "shape") {
      where_ = Where::kShape;
    } else if (where_ == Where::kTensor && key_ == "data_offsets") {
      where_ = Where::kOffsets;
      offsets_ = 0;
    } else {
      wrong("a list");
    }
    return true;
  }
  bool end_array() {
    if (where_ == Where::kOffsets && offsets_ < 2) {
      complain_(place(), "data_offsets of tensor {} has {} numbers: it takes begin and end",
                tensor(), offsets_);
    }
    where_ = Where::kTensor;
    return true;
  }
  bool parse_error(std::size_t, const std::string& token, const json::exception&) {
    complain_(place(), "the header is no JSON object in UTF-8: unexpected {}",
              token.empty() ? "end" : shown(token));
  }

 private:
  enum class Where { kStart, kRoot, kMetadata, kTensor, kShape, kOffsets, kEnd };

  std::uint64_t place() const {
    return kSizeBytes + static_cast<std::uint64_t>(reached_ - header_.data());
  }
  std::string tensor() const { return shown(entries.back().info.name); }

  static std::string known_dtypes() {
    std::string names = "known are";
    for (const DTypeCard& card : kDTypes) names += fmt::format(" {}", card.name);
    return names;
  }

  [[noreturn]] void wrong(std::string_view found) const {
    switch (where_) {
      case Where::kStart:
      case Where::kEnd:
        complain_(place(), "the header is {}: it must be a JSON object", found);
      case Where::kRoot:
        complain_(place(), "the entry {} is {}: it must be an object", shown(key_), found);
      case Where::kMetadata:
        complain_(place(), "the metadata value of {} is {}: it must be a text", shown(key_), found);
      case Where::kTensor:
        complain_(place(), "{} of tensor {} is {}: it must be {}", key_, tensor(), found,
                  key_ == "dtype" ? "a text" : "a list of whole numbers");
      case Where::kShape:
      case Where::kOffsets:
        break;
    }
    complain_(place(), "{} of tensor {} holds {}: it must hold whole numbers", key_, tensor(),
              found);
  }

  std::string_view header_;
  const char* reached_;
  Complaint complain_;
  Where where_ = Where::kStart;
  std::string key_;
  std::uint64_t place_of_name_ = 0;
  bool has_metadata_ = false;
  bool has_dtype_ = false;
  bool has_shape_ = false;
  bool has_offsets_ = false;
  int offsets_ = 0;
};

std::string_view header_of(std::span<const std::byte> file, const Complaint& complain) {
  if (file.size() < kSizeBytes) {
    complain(file.size(), "the file ends inside the 8 bytes of the header's size");
  }
  std::uint64_t size = 0;
  for (std::size_t i = kSizeBytes; i-- > 0;) size = size << 8 | std::to_integer<unsigned>(file[i]);
  if (size > kMostSafetensorsHeaderBytes) {
    complain(0, "the header's size is {}: more than {} bytes are not allowed", size,
             kMostSafetensorsHeaderBytes);
  }
  if (size > file.size() - kSizeBytes) {
    complain(0, "the header's size is {}, but only {} bytes follow", size,
             file.size() - kSizeBytes);
  }
  const std::string_view header(reinterpret_cast<const char*>(file.data()) + kSizeBytes, size);
  // The JSON reader would skip a byte order mark, and take a zero byte for the end.
  if (!header.starts_with('{')) complain(kSizeBytes, "the header does not begin with '{{'");
  const std::size_t zero = header.find('\0');
  if (zero != header.npos) complain(kSizeBytes + zero, "there is a zero byte in the header");
  return header;
}

// The bytes that a tensor of this shape takes. Dimensions of 0 count as 1 for the overflow check:
// strides of such a tensor are computed as well.
std::uint64_t bytes_by_shape(const Entry& entry, const Complaint& complain) {
  std::uint64_t most = dtype_bytes(entry.info.dtype);
  bool empty = false;
  for (const std::size_t size : entry.info.shape) {
    empty = empty || size == 0;
    if (__builtin_mul_overflow(most, std::max<std::uint64_t>(size, 1), &most) || most >> 62 != 0) {
      complain(entry.place, "the shape of tensor {} has more values than memory has addresses",
               shown(entry.info.name));
    }
  }
  return empty ? 0 : most;
}

// Offsets inside the data, of the size the shape asks for, and adjoining.
void check_offsets(std::vector<Entry>& entries, std::uint64_t data_bytes,
                   const Complaint& complain) {
  for (const Entry& entry : entries) {
    const std::string name = shown(entry.info.name);
    if (entry.begin > entry.end || entry.end > data_bytes) {
      complain(entry.place,
               "tensor {} has the data_offsets [{}, {}], but there are {} bytes of data", name,
               entry.begin, entry.end, data_bytes);
    }
    const std::uint64_t needed = bytes_by_shape(entry, complain);
    if (entry.end - entry.begin != needed) {
      complain(entry.place, "tensor {} has {} bytes, but its shape and dtype need {}", name,
               entry.end - entry.begin, needed);
    }
  }
  std::ranges::sort(entries, {},
                    [](const Entry& entry) { return std::pair(entry.begin, entry.end); });
  std::uint64_t covered = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != covered) {
      complain(entry.place, "tensor {} begins at {} of the data, where {} was due: {}",
               shown(entry.info.name), entry.begin, covered,
               entry.begin < covered ? "it overlaps the one before" : "there is a gap");
    }
    covered = entry.end;
  }
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::span<const std::byte> file,
                                           const std::string& path) {
  const Complaint complain(path);
  const std::string_view header = header_of(file, complain);
  HeaderReader reader(header, complain);
  reader.run();

  const std::uint64_t data_begin = kSizeBytes + header.size();
  const std::uint64_t data_bytes = file.size() - data_begin;
  std::vector<Entry>& entries = reader.entries;
  check_offsets(entries, data_bytes, complain);
  const std::uint64_t covered = entries.empty() ? 0 : entries.back().end;
  if (covered != data_bytes) {
    complain(data_begin + covered, "{} bytes follow the last tensor and belong to none",
             data_bytes - covered);
  }

  std::ranges::sort(entries, {},
                    [](const Entry& entry) -> const std::string& { return entry.info.name; });
  const auto twice = std::ranges::adjacent_find(
      entries, [](const Entry& a, const Entry& b) { return a.info.name == b.info.name; });
  if (twice != entries.end()) {
    complain(std::max(twice->place, std::next(twice)->place), "the tensor name {} occurs twice",
             shown(twice->info.name));
  }

  SafetensorsHeader result;
  result.metadata = std::move(reader.metadata);
  result.tensors.reserve(entries.size());
  for (Entry& entry : entries) {
    entry.info.offset = data_begin + entry.begin;
    entry.info.bytes = entry.end - entry.begin;
    result.tensors.push_back(std::move(entry.info));
  }
  return result;
}

}  // namespace heed
