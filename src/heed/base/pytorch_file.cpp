// SPDX-License-Identifier: Apache-2.0
// A pickle's program run by a machine of 28 instructions and 13 names.
#include "heed/base/pytorch_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/half.h"
#include "heed/base/stored_zip.h"
#include "heed/base/text.h"

namespace heed {
namespace {

constexpr std::string_view kConvert =
    "convert it where it comes from: torch.save(torch.load(FILE), FILE) writes the present form, "
    "safetensors.torch.save_file(torch.load(FILE), \"model.safetensors\") a safer one";

enum class Kind {
  mark,
  nothing,
  boolean,
  number,
  text,
  tuple,
  dictionary,
  global,
  storage,
  tensor
};

// What the machine builds. Parts are numbers of other values.
struct Value {
  Kind kind = Kind::nothing;
  std::int64_t number = 0;
  std::string text{};                // of a text or a global; a storage's key
  std::vector<std::size_t> parts{};  // of a tuple; of a dictionary name, value, name, value
  DType dtype = DType::kF32;         // of a storage
  std::size_t storage = 0;           // of a tensor
  std::vector<std::size_t> shape{}, strides{};
};

struct StorageName {
  std::string_view global;
  DType dtype;
};
constexpr std::array<StorageName, 9> kStorages = {{{"torch FloatStorage", DType::kF32},
                                                   {"torch DoubleStorage", DType::kF64},
                                                   {"torch HalfStorage", DType::kF16},
                                                   {"torch BFloat16Storage", DType::kBF16},
                                                   {"torch LongStorage", DType::kI64},
                                                   {"torch IntStorage", DType::kI32},
                                                   {"torch CharStorage", DType::kI8},
                                                   {"torch ByteStorage", DType::kU8},
                                                   {"torch BoolStorage", DType::kBool}}};
constexpr std::string_view kDictionary = "collections OrderedDict";
constexpr std::string_view kTensor = "torch._utils _rebuild_tensor_v2";
constexpr std::string_view kParameter = "torch._utils _rebuild_parameter";

class Machine {
 public:
  Machine(std::string_view program, std::string name) : program_(program), name_(std::move(name)) {}

  // The value that the program ends with.
  const Value& run() {
    if (byte() != 0x80 || byte() != 2) fail("no pickle of protocol 2");
    for (;;) {
      began_ = at_;
      const int instruction = byte();
      if (instruction == '.') return top();
      step(instruction);
    }
  }
  const Value& value(std::size_t number) const { return values_[number]; }

 private:
  template <typename... Arguments>
  [[noreturn]] void fail(fmt::format_string<Arguments...> what, Arguments&&... arguments) const {
    throw DataError("{}: byte {}: {}", name_, began_,
                    fmt::format(what, std::forward<Arguments>(arguments)...));
  }

  std::string_view take(std::uint64_t size) {
    if (size > program_.size() - at_) fail("the pickle ends too early");
    const std::string_view taken = program_.substr(at_, static_cast<std::size_t>(size));
    at_ += taken.size();
    return taken;
  }
  int byte() { return static_cast<unsigned char>(take(1)[0]); }
  std::uint64_t number(std::size_t width) {
    const std::string_view bytes = take(width);
    std::uint64_t value = 0;
    for (std::size_t i = width; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
  }
  std::string_view line() {
    const std::size_t end = program_.find('\n', at_);
    if (end == program_.npos) fail("the pickle ends too early");
    const std::string_view taken = program_.substr(at_, end - at_);
    at_ = end + 1;
    return taken;
  }

  // One value for one instruction at most, and parts for what was pushed: no more room than the
  // program has bytes.
  void push(Value value) {
    values_.push_back(std::move(value));
    stack_.push_back(values_.size() - 1);
  }
  void push_number(std::int64_t number) { push({.kind = Kind::number, .number = number}); }
  std::size_t pop() {
    if (stack_.empty()) fail("the stack is empty");
    const std::size_t number = stack_.back();
    if (values_[number].kind == Kind::mark) fail("a mark where a value should be");
    stack_.pop_back();
    return number;
  }
  const Value& top() {
    const std::size_t number = pop();
    stack_.push_back(number);
    return values_[number];
  }
  // The values above the last mark, which goes with them.
  std::vector<std::size_t> pop_to_mark() {
    std::size_t begin = stack_.size();
    while (begin > 0 && values_[stack_[begin - 1]].kind != Kind::mark) --begin;
    if (begin == 0) fail("no mark on the stack");
    std::vector<std::size_t> parts(stack_.begin() + static_cast<std::ptrdiff_t>(begin),
                                   stack_.end());
    stack_.resize(begin - 1);
    return parts;
  }
  void push_tuple(std::size_t size) {
    std::vector<std::size_t> parts(size);
    for (std::size_t i = size; i-- > 0;) parts[i] = pop();
    push({.kind = Kind::tuple, .parts = std::move(parts)});
  }
  void remember(std::uint64_t place) {
    if (stack_.empty()) fail("the stack is empty");
    memo_[place] = stack_.back();
  }
  void recall(std::uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) fail("nothing is remembered as {}", place);
    stack_.push_back(found->second);
  }
  void set_items(const std::vector<std::size_t>& items) {
    const std::size_t number = pop();
    stack_.push_back(number);
    Value& target = values_[number];
    if (target.kind != Kind::dictionary || items.size() % 2 != 0) {
      fail("names and values for what is no dictionary");
    }
    target.parts.insert(target.parts.end(), items.begin(), items.end());
  }

  void step(int instruction) {
    switch (instruction) {
      case 'c':
        return global();
      case 'q':
        return remember(number(1));
      case 'r':
        return remember(number(4));
      case 'h':
        return recall(number(1));
      case 'j':
        return recall(number(4));
      case '(':
        return push({.kind = Kind::mark});
      case ')':
        return push({.kind = Kind::tuple});
      case '}':
        return push({.kind = Kind::dictionary});
      case 'N':
        return push({.kind = Kind::nothing});
      case 0x88:
        return push({.kind = Kind::boolean, .number = 1});
      case 0x89:
        return push({.kind = Kind::boolean, .number = 0});
      case 'X':
        return text();
      case 'K':
        return push_number(static_cast<std::int64_t>(number(1)));
      case 'M':
        return push_number(static_cast<std::int64_t>(number(2)));
      case 'J':
        return push_number(static_cast<std::int32_t>(number(4)));
      case 0x8A:
        return long_number();
      case 't':
        return push({.kind = Kind::tuple, .parts = pop_to_mark()});
      case 0x85:
        return push_tuple(1);
      case 0x86:
        return push_tuple(2);
      case 0x87:
        return push_tuple(3);
      case 'Q':
        return storage();
      case 'R':
        return call();
      case 's': {
        const std::size_t value = pop();
        const std::size_t key = pop();
        return set_items({key, value});
      }
      case 'u':
        return set_items(pop_to_mark());
      case 'b':  // attributes of a dictionary, which say nothing of the tensors
        pop();
        if (top().kind != Kind::dictionary) fail("attributes of what is no dictionary");
        return;
      default:
        fail("instruction 0x{:02X}, which builds no tensor; Heed runs only what state dicts need",
             instruction);
    }
  }

  void global() {
    const std::string_view module = line();
    const std::string_view name = line();
    std::string whole = fmt::format("{} {}", module, name);
    const bool known = whole == kDictionary || whole == kTensor || whole == kParameter ||
                       std::ranges::find(kStorages, whole, &StorageName::global) != kStorages.end();
    if (!known) {
      fail("the file asks to run a program, {}.{}; weights need none, so it is not to be trusted",
           shorten(module, 60), shorten(name, 60));
    }
    push({.kind = Kind::global, .text = std::move(whole)});
  }
  void text() {
    const std::string_view bytes = take(number(4));
    if (invalid_utf8(bytes) != bytes.npos) fail("a text that is no UTF-8");
    push({.kind = Kind::text, .text = std::string(bytes)});
  }
  void long_number() {
    const std::string_view bytes = take(number(1));
    if (bytes.size() > 8) fail("a number of {} bytes; sizes have 8 at most", bytes.size());
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(bytes[i]);
    }
    const bool negative = !bytes.empty() && (static_cast<unsigned char>(bytes.back()) & 0x80) != 0;
    if (negative && bytes.size() < 8) value |= ~std::uint64_t{0} << (8 * bytes.size());
    push_number(static_cast<std::int64_t>(value));
  }

  const Value& part(const Value& tuple, std::size_t i, Kind kind, const char* what) const {
    if (tuple.kind != Kind::tuple || i >= tuple.parts.size() ||
        values_[tuple.parts[i]].kind != kind) {
      fail("{} is missing", what);
    }
    return values_[tuple.parts[i]];
  }

  // ("storage", type, key, device, elements)
  void storage() {
    const Value id = values_[pop()];
    if (part(id, 0, Kind::text, "the word \"storage\"").text != "storage") {
      fail("a reference to what is no storage");
    }
    const std::string& type = part(id, 1, Kind::global, "a storage's type").text;
    const auto known = std::ranges::find(kStorages, type, &StorageName::global);
    if (known == kStorages.end()) fail("\"{}\" is no type of a storage", type);
    push({.kind = Kind::storage,
          .number = part(id, 4, Kind::number, "a storage's size").number,
          .text = part(id, 2, Kind::text, "a storage's key").text,
          .dtype = known->dtype});
  }

  std::vector<std::size_t> sizes(const Value& tuple) const {
    std::vector<std::size_t> all;
    for (const std::size_t number : tuple.parts) {
      const Value& size = values_[number];
      if (size.kind != Kind::number || size.number < 0) fail("a size that is none");
      all.push_back(static_cast<std::size_t>(size.number));
    }
    return all;
  }

  void call() {
    const Value arguments = values_[pop()];
    const Value callee = values_[pop()];
    if (callee.kind != Kind::global || arguments.kind != Kind::tuple) {
      fail("a call of what is no function");
    }
    if (callee.text == kDictionary) {
      if (!arguments.parts.empty()) fail("a dictionary made of other values; it takes none");
      push({.kind = Kind::dictionary});
    } else if (callee.text == kParameter) {
      part(arguments, 0, Kind::tensor, "a parameter's tensor");
      stack_.push_back(arguments.parts[0]);
    } else if (callee.text == kTensor) {
      part(arguments, 0, Kind::storage, "a tensor's storage");
      const std::int64_t offset = part(arguments, 1, Kind::number, "a tensor's offset").number;
      Value tensor{.kind = Kind::tensor, .number = offset, .storage = arguments.parts[0]};
      tensor.shape = sizes(part(arguments, 2, Kind::tuple, "a tensor's size"));
      tensor.strides = sizes(part(arguments, 3, Kind::tuple, "a tensor's strides"));
      if (offset < 0 || tensor.shape.size() != tensor.strides.size()) {
        fail("a tensor whose sizes and strides do not fit each other");
      }
      push(std::move(tensor));
    } else {
      fail("a call of {}, which is no function", callee.text);
    }
  }

  std::string_view program_;
  std::string name_;
  std::size_t at_ = 0;
  std::size_t began_ = 0;  // of the instruction
  std::vector<Value> values_;
  std::vector<std::size_t> stack_;
  std::map<std::uint64_t, std::size_t> memo_;
};

// How many values there are, and that the last of them lies inside; nothing where it does not.
std::optional<std::size_t> values_inside(const Value& tensor, std::size_t elements) {
  std::size_t count = 1;
  std::size_t last = static_cast<std::size_t>(tensor.number);
  for (const std::size_t size : tensor.shape) {
    if (size != 0 && count > std::numeric_limits<std::size_t>::max() / size) return std::nullopt;
    count *= size;
  }
  if (count == 0) return last <= elements ? std::optional(count) : std::nullopt;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    const std::size_t steps = tensor.shape[i] - 1;
    const std::size_t stride = tensor.strides[i];
    if (stride != 0 && steps > (elements > last ? elements - last : 0) / stride)
      return std::nullopt;
    last += steps * stride;
  }
  // Values that overlap would let a small file ask for any room.
  if (last >= elements || count > elements) return std::nullopt;
  return count;
}

using Entries = std::map<std::string, std::span<const std::byte>>;

// The folder inside the archive: what stands before /data.pkl.
std::string folder_of(const Entries& entries, const std::string& name) {
  constexpr std::string_view kProgram = "/data.pkl";
  for (const auto& [entry, bytes] : entries) {
    if (entry.ends_with(kProgram)) return entry.substr(0, entry.size() - kProgram.size());
  }
  throw DataError("{}: no data.pkl in the archive, so these are no weights; {}", name, kConvert);
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

double value_at(std::span<const std::byte> storage, DType dtype, std::size_t index) {
  const std::byte* from = storage.data() + index * dtype_bytes(dtype);
  const auto as = [from](auto value) {
    std::memcpy(&value, from, sizeof value);
    return value;
  };
  switch (dtype) {
    case DType::kF64:
      return as(double{});
    case DType::kF32:
      return static_cast<double>(as(float{}));
    case DType::kF16:
      return static_cast<double>(f16_to_float(as(std::uint16_t{})));
    case DType::kBF16:
      return static_cast<double>(bf16_to_float(as(std::uint16_t{})));
    default:
      throw DataError("{} are no weights; they are floating-point", dtype_name(dtype));
  }
}

}  // namespace

PytorchFile::PytorchFile(const std::filesystem::path& path)
    : PytorchFile(MappedFile(path), {}, path.string()) {}

PytorchFile PytorchFile::from_memory(std::span<const std::byte> bytes, std::string name) {
  return PytorchFile(MappedFile(), bytes, std::move(name));
}

PytorchFile::PytorchFile(MappedFile file, std::span<const std::byte> bytes, std::string name)
    : file_(std::move(file)), name_(std::move(name)) {
  if (bytes.empty()) bytes = file_.bytes();
  constexpr std::string_view kLegacy("\x80\x02\x8A\x0A\x6C\xFC\x9C\x46\xF9", 9);
  if (text_of(bytes).starts_with(kLegacy)) {
    throw DataError("{}: the form that PyTorch wrote before 1.6, which Heed does not read; {}",
                    name_, kConvert);
  }
  const Entries entries = stored_entries(bytes, name_);
  const std::string folder = folder_of(entries, name_);
  if (const auto order = entries.find(folder + "/byteorder");
      order != entries.end() && trim(text_of(order->second)) != "little") {
    throw DataError("{}: its numbers are not little-endian; {}", name_, kConvert);
  }
  Machine machine(text_of(entries.at(folder + "/data.pkl")),
                  fmt::format("{}: {}/data.pkl", name_, folder));
  const Value result = machine.run();
  if (result.kind != Kind::dictionary) {
    throw DataError("{}: holds no dictionary of tensors", name_);
  }
  for (std::size_t i = 0; i + 1 < result.parts.size(); i += 2) {
    const Value& key = machine.value(result.parts[i]);
    const Value& made = machine.value(result.parts[i + 1]);
    if (key.kind != Kind::text || made.kind != Kind::tensor) {
      throw DataError(
          "{}: \"{}\" is no tensor; a state dict holds tensors by name, and nothing else", name_,
          key.kind == Kind::text ? shorten(key.text, 60) : "an entry");
    }
    const Value& storage = machine.value(made.storage);
    const auto entry = entries.find(fmt::format("{}/data/{}", folder, storage.text));
    const std::size_t width = dtype_bytes(storage.dtype);
    if (entry == entries.end() || storage.number < 0 ||
        entry->second.size() / width != static_cast<std::size_t>(storage.number) ||
        entry->second.size() % width != 0) {
      throw DataError("{}: storage \"{}\" of \"{}\" is missing or has not the {} values it says",
                      name_, shorten(storage.text, 40), shorten(key.text, 60), storage.number);
    }
    const auto count = values_inside(made, static_cast<std::size_t>(storage.number));
    if (!count) {
      throw DataError("{}: tensor \"{}\" reaches outside its storage of {} values", name_,
                      shorten(key.text, 60), storage.number);
    }
    tensors_.push_back({.name = key.text,
                        .dtype = storage.dtype,
                        .shape = made.shape,
                        .strides = made.strides,
                        .storage = entry->second,
                        .offset = static_cast<std::size_t>(made.number),
                        .count = *count});
  }
  std::ranges::sort(tensors_, {}, &PytorchTensor::name);
  const auto same = std::ranges::adjacent_find(tensors_, {}, &PytorchTensor::name);
  if (same != tensors_.end()) {
    throw DataError("{}: \"{}\" is there twice", name_, shorten(same->name, 60));
  }
}

template <typename T>
void PytorchFile::read(const PytorchTensor& tensor, std::span<T> values) const {
  if (values.size() != tensor.count) {
    throw UsageError("{}: tensor \"{}\" has {} values, and there is room for {}", name_,
                     tensor.name, tensor.count, values.size());
  }
  std::vector<std::size_t> index(tensor.shape.size(), 0);
  std::size_t at = tensor.offset;
  for (T& value : values) {
    value = static_cast<T>(value_at(tensor.storage, tensor.dtype, at));
    for (std::size_t axis = index.size(); axis-- > 0;) {
      at += tensor.strides[axis];
      if (++index[axis] < tensor.shape[axis]) break;
      at -= tensor.shape[axis] * tensor.strides[axis];
      index[axis] = 0;
    }
  }
}

template void PytorchFile::read(const PytorchTensor&, std::span<float>) const;
template void PytorchFile::read(const PytorchTensor&, std::span<double>) const;

}  // namespace heed
