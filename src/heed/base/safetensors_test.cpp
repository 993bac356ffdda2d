// SPDX-License-Identifier: Apache-2.0
// Tests of safetensors: round trips, conversions, every refusal with its place.
#include "heed/base/safetensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "heed/base/error.h"
#include "heed/base/half.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using test::get;
using test::message_of;
using test::put;
using test::TemporaryFolder;

std::string with_size(const std::string& header, const std::string& data = "") {
  std::string file(8, '\0');
  const std::uint64_t size = header.size();
  std::memcpy(file.data(), &size, sizeof size);
  return file + header + data;
}

SafetensorsFile parse(const std::string& file) {
  return SafetensorsFile::from_memory(std::as_bytes(std::span(file.data(), file.size())), "f");
}

// What the reader says of a file with this header and 8 bytes of data.
std::string refusal(const std::string& header) {
  return message_of<DataError>([&] { parse(with_size(header, std::string(8, '\0'))); });
}

// A header with one tensor "t", and the file of it.
template <typename T>
std::string file_of(const std::string& dtype, const std::vector<T>& values) {
  std::string data(values.size() * sizeof(T), '\0');
  std::memcpy(data.data(), values.data(), data.size());
  return with_size(fmt::format(R"({{"t":{{"dtype":"{}","shape":[{}],"data_offsets":[0,{}]}}}})",
                               dtype, values.size(), data.size()),
                   data);
}

TEST(Safetensors, ComesBackAsItWasWritten) {
  const TemporaryFolder folder;
  const std::vector<float> weights = {1.5f, -0.0f, INFINITY, 1e-40f, 3, 4};
  const std::vector<double> doubles = {1e300, -2};
  const std::vector<std::int64_t> longs = {std::numeric_limits<std::int64_t>::min()};
  const std::vector<std::int32_t> ids = {-1, 7};
  const std::vector<std::int8_t> small = {-128, 127, 0};
  const std::vector<std::uint8_t> flags = {0, 1, 1, 255};
  SafetensorsWriter writer;
  writer.add("weights", {2, 3}, weights);
  writer.add("doubles", {2, 1}, doubles);
  writer.add("long", {}, longs);
  writer.add("ids", {2}, ids);
  writer.add("small", {3}, small);
  writer.add("flags", {4}, flags);
  writer.add("nothing", {0, 5}, std::vector<float>());
  writer.add("näme \"\\\n", DType::kBool, {2}, std::as_bytes(std::span(flags).first(2)));
  writer.set_metadata("format", "heed");
  writer.set_metadata("format", "héed");
  writer.write(folder / "f");

  const SafetensorsFile file(folder / "f");
  EXPECT_EQ(file.read<float>(file.at("weights")), weights);
  EXPECT_TRUE(std::signbit(file.read<float>(file.at("weights"))[1]));
  EXPECT_EQ(file.read<double>(file.at("doubles")), doubles);
  EXPECT_EQ(file.read<std::int64_t>(file.at("long")), longs);
  EXPECT_EQ(file.read<std::int32_t>(file.at("ids")), ids);
  EXPECT_EQ(file.read<std::int8_t>(file.at("small")), small);
  EXPECT_EQ(file.read<std::uint8_t>(file.at("flags")), flags);
  EXPECT_TRUE(file.read<float>(file.at("nothing")).empty());
  EXPECT_EQ(file.at("näme \"\\\n").dtype, DType::kBool);
  EXPECT_EQ(file.at("weights").shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_TRUE(file.at("long").shape.empty());
  EXPECT_EQ(file.metadata().at("format"), "héed");
  EXPECT_EQ(file.tensors().size(), 8u);
  EXPECT_TRUE(std::ranges::is_sorted(file.tensors(), {}, &TensorInfo::name));
}

TEST(Safetensors, WritesEqualBytesInWhateverOrderTensorsWereAdded) {
  const TemporaryFolder folder;
  const std::vector<float> four = {1};
  const std::vector<double> eight = {2};
  const std::vector<std::uint8_t> one = {3};
  SafetensorsWriter forwards;
  forwards.add("a", {1}, one);
  forwards.add("b", {1}, four);
  forwards.add("c", {1}, eight);
  forwards.write(folder / "f");
  SafetensorsWriter backwards;
  backwards.add("c", {1}, eight);
  backwards.add("b", {1}, four);
  backwards.add("a", {1}, one);
  backwards.write(folder / "g");
  EXPECT_EQ(get(folder / "f"), get(folder / "g"));

  const std::string expected = R"({"c":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},)"
                               R"("b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]},)"
                               R"("a":{"dtype":"U8","shape":[1],"data_offsets":[12,13]}})";
  EXPECT_EQ(get(folder / "f").substr(8, expected.size()), expected);
  const SafetensorsFile file(folder / "f");
  for (const TensorInfo& info : file.tensors()) {
    EXPECT_EQ(info.offset % dtype_bytes(info.dtype), 0u) << info.name << " is not aligned";
  }
}

TEST(Safetensors, WritesAFileWithoutTensors) {
  const TemporaryFolder folder;
  SafetensorsWriter().write(folder / "f");
  EXPECT_EQ(get(folder / "f"), with_size("{}      "));
  EXPECT_TRUE(SafetensorsFile(folder / "f").tensors().empty());
}

TEST(Safetensors, RefusesToWriteWhatCouldNotBeRead) {
  SafetensorsWriter writer;
  const std::vector<float> values = {1, 2};
  writer.add("t", {2}, values);
  EXPECT_THROW(writer.add("t", {2}, values), UsageError);
  EXPECT_THROW(writer.add("", {2}, values), UsageError);
  EXPECT_THROW(writer.add("__metadata__", {2}, values), UsageError);
  EXPECT_THROW(writer.add("bad \xff", {2}, values), UsageError);
  EXPECT_THROW(writer.set_metadata("k", "\xc0\xaf"), UsageError);
  EXPECT_THROW(writer.add("large", {std::size_t{1} << 62, 16}, values), UsageError);
  EXPECT_EQ(message_of<UsageError>([&] { writer.add("u", {3}, values); }),
            "safetensors: tensor \"u\" of shape [3] and dtype F32 is given 8 bytes");
}

TEST(Safetensors, CannotBeWrittenIntoAMissingFolder) {
  const TemporaryFolder folder;
  EXPECT_THROW(SafetensorsWriter().write(folder / "none" / "f"), DataError);
}

TEST(Safetensors, ConvertsEveryFloatingTypeToFloatAndDouble) {
  const std::vector<float> values = {0.5f, -65504.0f, 0x1p-24f, INFINITY};
  std::vector<std::uint16_t> f16;
  std::vector<std::uint16_t> bf16;
  for (const float value : values) {
    f16.push_back(float_to_f16(value));
    bf16.push_back(float_to_bf16(value));
  }
  const std::vector<double> wide(values.begin(), values.end());
  const std::string half = file_of("F16", f16);
  const std::string brain = file_of("BF16", bf16);
  const std::string single = file_of("F32", values);
  const std::string full = file_of("F64", wide);
  for (const std::string* bytes : {&half, &single, &full}) {
    const SafetensorsFile file = parse(*bytes);
    EXPECT_EQ(file.read<float>(file.at("t")), values);
    EXPECT_EQ(file.read<double>(file.at("t")), wide);
  }
  const SafetensorsFile file = parse(brain);
  EXPECT_EQ(file.read<float>(file.at("t")), (std::vector<float>{0.5f, -65536, 0x1p-24f, INFINITY}));
}

TEST(Safetensors, RoundsDoublesToFloatButRefusesThoseThatWouldBecomeInfinite) {
  const float largest = std::numeric_limits<float>::max();
  const std::string fits = file_of<double>("F64", {0.1, 0x1.fffffefffffffp127, -INFINITY, 1e-300});
  const SafetensorsFile file = parse(fits);
  EXPECT_EQ(file.read<float>(file.at("t")), (std::vector<float>{0.1f, largest, -INFINITY, 0}));
  const std::string too_large = file_of<double>("F64", {1, -0x1.ffffffp127});
  const SafetensorsFile other = parse(too_large);
  EXPECT_EQ(message_of<DataError>([&] { other.read<float>(other.at("t")); }),
            fmt::format("f: byte {}: value 1 of tensor \"t\" (F64) does not fit into F32",
                        too_large.size() - 8));
  EXPECT_EQ(other.read<double>(other.at("t"))[1], -0x1.ffffffp127);
}

TEST(Safetensors, ConvertsWholeNumbersOnlyWhereTheyFit) {
  const std::string small = file_of<std::int64_t>("I64", {-128, 127});
  const SafetensorsFile file = parse(small);
  EXPECT_EQ(file.read<std::int32_t>(file.at("t")), (std::vector<std::int32_t>{-128, 127}));
  EXPECT_EQ(file.read<std::int8_t>(file.at("t")), (std::vector<std::int8_t>{-128, 127}));
  EXPECT_THROW(file.read<std::uint8_t>(file.at("t")), DataError);
  const std::string large = file_of<std::int64_t>("I64", {0, std::int64_t{1} << 31});
  const SafetensorsFile other = parse(large);
  EXPECT_EQ(message_of<DataError>([&] { other.read<std::int32_t>(other.at("t")); }),
            fmt::format("f: byte {}: value 1 of tensor \"t\" (I64) does not fit into I32",
                        large.size() - 8));
  const std::string flags = file_of<std::uint8_t>("BOOL", {0, 1, 2});
  const SafetensorsFile booleans = parse(flags);
  EXPECT_EQ(message_of<DataError>([&] { booleans.read<std::uint8_t>(booleans.at("t")); }),
            fmt::format("f: byte {}: value 2 of tensor \"t\" (BOOL) does not fit into 0 or 1",
                        flags.size() - 1));
}

TEST(Safetensors, DoesNotMixWholeAndFloatingNumbers) {
  const std::string whole = file_of<std::int32_t>("I32", {1});
  const std::string real = file_of<float>("F32", {1});
  const SafetensorsFile wholes = parse(whole);
  const SafetensorsFile reals = parse(real);
  EXPECT_EQ(message_of<DataError>([&] { wholes.read<float>(wholes.at("t")); }),
            fmt::format("f: byte {}: tensor \"t\" holds I32, and floating-point numbers are needed",
                        whole.size() - 4));
  EXPECT_THROW(reals.read<std::int64_t>(reals.at("t")), DataError);
}

TEST(Safetensors, ReadsIntoTheCallersMemoryOnlyWhenTheSizeIsRight) {
  const std::string bytes = file_of<float>("F32", {1, 2});
  const SafetensorsFile file = parse(bytes);
  std::vector<float> values(2);
  file.read(file.at("t"), std::span(values));
  EXPECT_EQ(values, (std::vector<float>{1, 2}));
  values.resize(3);
  EXPECT_THROW(file.read(file.at("t"), std::span(values)), UsageError);
}

TEST(Safetensors, ReadsDataThatAreNotAligned) {
  std::string data(9, '\1');
  const double value = 2.5;
  std::memcpy(data.data() + 1, &value, 8);
  const std::string bytes = with_size(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                                      R"("b":{"dtype":"F64","shape":[],"data_offsets":[1,9]}})",
                                      data);
  const SafetensorsFile file = parse(bytes);
  EXPECT_EQ(file.read<double>(file.at("b")), std::vector<double>{2.5});
  EXPECT_EQ(file.read<float>(file.at("b")), std::vector<float>{2.5f});
}

TEST(Safetensors, NamesTheNearestTensorWhenOneIsMissing) {
  const std::string bytes =
      with_size(R"({"bias":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "x");
  const SafetensorsFile file = parse(bytes);
  EXPECT_EQ(file.find("base"), nullptr);
  EXPECT_EQ(message_of<DataError>([&] { file.at("baes"); }), "f: has no tensor \"baes\"");
  EXPECT_EQ(message_of<DataError>([&] { file.at("bais"); }),
            "f: has no tensor \"bais\" (did you mean \"bias\"?)");
}

TEST(Safetensors, SaysWhereAHeaderIsWrongAndWhatWouldBeRight) {
  EXPECT_EQ(message_of<DataError>([] { parse("1234567"); }),
            "f: byte 7: the file ends inside the 8 bytes of the header's size");
  EXPECT_EQ(message_of<DataError>([] { parse(with_size("{}").substr(0, 9)); }),
            "f: byte 0: the header's size is 2, but only 1 bytes follow");
  EXPECT_EQ(
      message_of<DataError>([] { parse(std::string("\0\0\0\0\1\0\0\0{}", 10)); }),
      "f: byte 0: the header's size is 4294967296: more than 100000000 bytes are not allowed");
  EXPECT_EQ(refusal("[]"), "f: byte 8: the header does not begin with '{'");
  EXPECT_EQ(refusal("{}"), "f: byte 10: 8 bytes follow the last tensor and belong to none");
  EXPECT_EQ(refusal(R"({"t":1})"), "f: byte 15: the entry \"t\" is a number: it must be an object");
  EXPECT_EQ(refusal(R"({"t":{"dtype":"F31"}})"),
            "f: byte 27: dtype \"F31\" is unknown: known are F64 I64 F32 I32 F16 BF16 I8 U8 BOOL");
  EXPECT_EQ(refusal(R"({"t":{"dtype":"F32","shape":[2]}})"),
            "f: byte 40: tensor \"t\" has no data_offsets");
  EXPECT_EQ(refusal(R"({"t":{"shape":[-2]}})"),
            "f: byte 26: -2 is negative: sizes and offsets are not");
  EXPECT_EQ(refusal(R"({"t":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})"),
            "f: byte 12: tensor \"t\" has 4 bytes, but its shape and dtype need 8");
  EXPECT_EQ(refusal(R"({"t":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})"),
            "f: byte 12: tensor \"t\" has the data_offsets [4, 12], but there are 8 bytes of data");
  EXPECT_EQ(refusal(R"({"t":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})"),
            "f: byte 12: tensor \"t\" begins at 4 of the data, where 0 was due: there is a gap");
  EXPECT_EQ(refusal(R"({"t":{"dtype":"U8","shape":[2305843009213693953,8],"data_offsets":[0,8]}})"),
            "f: byte 12: the shape of tensor \"t\" has more values than memory has addresses");
}

TEST(Safetensors, EndsDeepNestingAtTheFirstLevelThatHasNoPlace) {
  std::string deep = R"({"t":{"shape":)";
  deep.append(1'000'000, '[');
  EXPECT_EQ(refusal(deep),
            "f: byte 24: shape of tensor \"t\" holds a list: it must hold whole numbers");
}

TEST(Safetensors, ShowsHostileNamesShortAndWithoutControlCharacters) {
  const std::string name(10'000, 'n');
  const std::string message = refusal("{\"\\u001b[2J" + name + "\":1}");
  EXPECT_LT(message.size(), 200u);
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
}

TEST(Safetensors, RefusesAFileCutAtAnyByte) {
  const std::string whole = file_of<float>("F32", {1, 2, 3});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(parse(whole.substr(0, size)), DataError) << size;
  }
  EXPECT_NO_THROW(parse(whole));
  EXPECT_THROW(parse(whole + "x"), DataError);
}

TEST(Safetensors, NamesThePathOfAFileOnDisk) {
  const TemporaryFolder folder;
  put(folder / "f", "");
  EXPECT_EQ(
      message_of<DataError>([&] { SafetensorsFile file(folder / "f"); }),
      (folder / "f").string() + ": byte 0: the file ends inside the 8 bytes of the header's size");
  EXPECT_THROW(SafetensorsFile(folder / "none"), DataError);
}

}  // namespace
}  // namespace heed
