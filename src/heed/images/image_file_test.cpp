// SPDX-License-Identifier: Apache-2.0
// Images of every format, and files that lie.
#include "heed/images/image_file.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::images {
namespace {

const std::filesystem::path kImages = HEED_SOURCE_DIR "/tests/fuzz/images";

Image stored(std::string_view name) {
  return read_image(kImages / name);
}
std::string refused(std::string_view name) {
  const std::string bytes = test::get(kImages / name);
  return test::message_of<DataError>([&] { parse_image({bytes, "x"}); });
}

TEST(ImageFile, OfPngIsGreyOrColouredAsStored) {
  const Image grey = stored("valid_grey.png");
  EXPECT_EQ(grey.size_text(), "8 x 6, 1 channel");
  for (std::size_t i = 0; i < 48; ++i) EXPECT_EQ(grey.bytes()[i], i * 5 % 256) << i;
  const Image colour = stored("valid_colour.png");
  EXPECT_EQ(colour.size_text(), "6 x 4, 3 channels");
  EXPECT_EQ(colour.bytes()[3 * 7], 70);
  EXPECT_EQ(colour.bytes()[3 * 7 + 1], 255 - 63);
  EXPECT_EQ(colour.bytes()[3 * 7 + 2], 21);
  EXPECT_EQ(stored("valid_palette.png").channels, 3);
  // Of 16 bits the first 8, since they are not linear light: 0x8080.
  EXPECT_EQ(stored("valid_16bit.png").bytes()[0], 0x80);
}

TEST(ImageFile, LiesOnWhiteWhereItIsTransparent) {
  const Image clear = stored("valid_clear.png");
  EXPECT_EQ(clear, Image::filled(4, 4, 3, 1));
}

TEST(ImageFile, OfJpegComesNearWhatWasStored) {
  const Image grey = stored("valid_grey.jpg"), colour = stored("valid_colour.jpg");
  ASSERT_EQ(grey.size_text(), "8 x 6, 1 channel");
  for (std::size_t i = 0; i < 48; ++i) {
    EXPECT_NEAR(grey.pixels[i] * 255, static_cast<double>(i * 5), 5) << i;
  }
  ASSERT_EQ(colour.size_text(), "6 x 4, 3 channels");
  EXPECT_NEAR(colour.at(1, 1, 0) * 255, 70, 12);
  EXPECT_NEAR(colour.at(1, 1, 1) * 255, 192, 12);
  EXPECT_EQ(stored("valid_progressive.jpg").size_text(), "40 x 32, 3 channels");
}

TEST(ImageFile, OfPortableFormsIsExact) {
  EXPECT_EQ(stored("valid_raw.ppm").bytes(), (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(stored("valid_plain.ppm").pixels[4], 7.0f / 15);
  EXPECT_EQ(stored("valid_plain.pbm").pixels, (std::vector<float>{0, 1, 0, 1, 0, 0}));
  const Image bits = stored("valid_raw.pbm");
  EXPECT_EQ(bits.at(0, 8), 0);
  EXPECT_EQ(bits.at(1, 8), 1);
  EXPECT_FLOAT_EQ(stored("valid_raw.pgm").at(0, 1), 772.0f / 65535);
}

TEST(ImageFile, IsWrittenAndReadTheSame) {
  for (const char* name : {"valid_grey.png", "valid_colour.png"}) {
    const Image image = stored(name);
    EXPECT_EQ(parse_image({png_bytes(image), "png"}), image) << name;
    EXPECT_EQ(parse_image({portable_bytes(image), "portable"}), image) << name;
  }
}

TEST(ImageFile, IsRefusedWhenItsBytesCannotHoldItsSize) {
  EXPECT_EQ(refused("bad_lies.png"),
            "x: a PNG that says it has 4000 x 4000 pixels, which its 68 bytes cannot hold");
  EXPECT_EQ(refused("bad_huge.png"),
            "x: an image of 100000 x 100000; it takes sides of 1 to 16384 and 16777216 pixels at "
            "most");
  EXPECT_EQ(refused("bad_size.jpg"),
            "x: a JPEG that says it has 4000 x 4000 pixels, which its 340 bytes cannot hold");
  EXPECT_EQ(refused("bad_lies.pgm"), "x: 4 bytes for 16000000 values; it is cut short");
  EXPECT_EQ(refused("bad_short_data.png"), "x: a PNG that cannot be read: Not enough image data");
}

TEST(ImageFile, IsRefusedWhenItIsCutShort) {
  EXPECT_EQ(refused("bad_cut.png"),
            "x: a PNG that is cut short after 127 bytes; copy the file again");
  EXPECT_EQ(refused("bad_no_end.png"),
            "x: a PNG that is cut short after 56 bytes; copy the file again");
  EXPECT_EQ(refused("bad_cut.jpg"),
            "x: a JPEG that is cut short or damaged: Premature end of JPEG file");
  EXPECT_EQ(refused("bad_cut.ppm"), "x: 3 bytes of the image where it takes 12; it is cut short");
  // However short.
  for (const char* name : {"valid_progressive.jpg", "valid_colour.png", "valid_raw.pgm"}) {
    const std::string bytes = test::get(kImages / name);
    for (std::size_t size = 0; size < bytes.size() - 2; ++size) {
      const std::string cut = bytes.substr(0, size);
      EXPECT_THROW(parse_image({cut, name}), DataError) << name << ", " << size << " bytes";
    }
  }
}

TEST(ImageFile, IsRefusedWithAReasonWhenItIsOfAnotherKind) {
  EXPECT_EQ(refused("bad_animated.png"), "x: an animated PNG; give one of its pictures");
  EXPECT_EQ(refused("bad_gif"), "x: is a GIF; give PNG, JPEG, PPM, PGM or PBM");
  EXPECT_EQ(refused("bad_empty"), "x: is empty; give PNG, JPEG, PPM, PGM or PBM");
  EXPECT_EQ(refused("bad_text"),
            "x: no image that is known by its first bytes; give PNG, JPEG, PPM, PGM or PBM");
  EXPECT_EQ(refused("bad_cmyk.jpg"),
            "x: a JPEG in the colours of a printer (CMYK); convert it to RGB");
  EXPECT_EQ(refused("bad_checksum.png"),
            "x: a PNG that cannot be read: IDAT: incorrect data check");
  EXPECT_EQ(refused("bad_above.pgm"),
            "x:1: a value is missing, or not from 0 to 7; an image says its kind, width, height "
            "and, but for bits, the lightest value");
}

}  // namespace
}  // namespace heed::images
