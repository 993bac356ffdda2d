// SPDX-License-Identifier: Apache-2.0
// JPEG by libjpeg-turbo. Its errors jump, and a jump passes over destructors: nothing that has one
// lives within the steps that may.
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <vector>

// After <cstdio>, whose FILE it wants.
#include <jpeglib.h>

#include <jerror.h>

#include "heed/base/error.h"
#include "heed/images/formats.h"

namespace heed::images {
namespace {

// A block of 64 pixels takes one bit at least, of colours sampled at half the size less.
constexpr std::int64_t kMostPixelsOfByte = 2048;
constexpr int kMostScans = 100;  // a progressive file has about ten; thousands are an attack

struct Decoding {
  jpeg_decompress_struct decoder{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf jump{};
  char message[JMSG_LENGTH_MAX] = "";
  bool open = false;
};

Decoding& decoding_of(j_common_ptr decoder) {
  return *static_cast<Decoding*>(decoder->client_data);
}

[[noreturn]] void fail(j_common_ptr decoder) {
  Decoding& decoding = decoding_of(decoder);
  decoder->err->format_message(decoder, decoding.message);
  std::longjmp(decoding.jump, 1);
}

// Data that ends or goes wrong is only warned of, and the rest of the image becomes grey.
void warned(j_common_ptr decoder, int level) {
  if (level >= 0) return;
  switch (decoder->err->msg_code) {
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_ADOBE_XFORM:
    case JWRN_JFIF_MAJOR:
      return;  // whole all the same
    default:
      fail(decoder);
  }
}

void keep_silent(j_common_ptr) {}

void count_scans(j_common_ptr decoder) {
  if (reinterpret_cast<j_decompress_ptr>(decoder)->input_scan_number > kMostScans) {
    std::snprintf(decoding_of(decoder).message, JMSG_LENGTH_MAX, "more than %d scans", kMostScans);
    std::longjmp(decoding_of(decoder).jump, 1);
  }
}

// Runs one step, within which libjpeg may jump; false when it did.
template <typename Step>
bool survives(Decoding& decoding, const Step& step) {
  if (setjmp(decoding.jump) != 0) return false;
  step();
  return true;
}

class Jpeg {
 public:
  explicit Jpeg(const NamedBytes& file) : name_(file.name) {
    Decoding& d = decoding_;
    d.decoder.err = jpeg_std_error(&d.errors);
    d.errors.error_exit = fail;
    d.errors.emit_message = warned;
    d.errors.output_message = keep_silent;
    d.decoder.client_data = &d;
    d.progress.progress_monitor = count_scans;
    run([&d, &file] {
      jpeg_create_decompress(&d.decoder);
      d.open = true;
      d.decoder.progress = &d.progress;
      jpeg_mem_src(&d.decoder, reinterpret_cast<const unsigned char*>(file.bytes.data()),
                   file.bytes.size());
      jpeg_read_header(&d.decoder, TRUE);
    });
  }
  ~Jpeg() {
    if (decoding_.open) jpeg_destroy_decompress(&decoding_.decoder);
  }
  Jpeg(const Jpeg&) = delete;
  Jpeg& operator=(const Jpeg&) = delete;

  std::int64_t width() const { return decoding_.decoder.image_width; }
  std::int64_t height() const { return decoding_.decoder.image_height; }
  J_COLOR_SPACE space() const { return decoding_.decoder.jpeg_color_space; }

  std::vector<std::uint8_t> pixels(std::int64_t channels) {
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width() * height() * channels));
    std::uint8_t* const first = pixels.data();
    const auto stride = static_cast<std::size_t>(width() * channels);
    Decoding& d = decoding_;
    run([&d, first, stride, channels] {
      d.decoder.out_color_space = channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
      d.decoder.dct_method = JDCT_ISLOW;
      jpeg_start_decompress(&d.decoder);
      while (d.decoder.output_scanline < d.decoder.output_height) {
        JSAMPROW row = first + d.decoder.output_scanline * stride;
        jpeg_read_scanlines(&d.decoder, &row, 1);
      }
      jpeg_finish_decompress(&d.decoder);
    });
    return pixels;
  }

 private:
  template <typename Step>
  void run(const Step& step) {
    if (survives(decoding_, step)) return;
    const std::string message = decoding_.message;
    if (decoding_.open) jpeg_destroy_decompress(&decoding_.decoder);
    decoding_.open = false;
    throw DataError("{}: a JPEG that is cut short or damaged: {}", name_, message);
  }

  const std::string& name_;
  Decoding decoding_;
};

}  // namespace

bool is_jpeg(std::string_view bytes) {
  return bytes.starts_with("\xff\xd8\xff");
}

Image parse_jpeg(const NamedBytes& file) {
  Jpeg jpeg(file);
  check_claimed_size(file.name, jpeg.width(), jpeg.height());
  if (jpeg.width() * jpeg.height() / kMostPixelsOfByte > std::ssize(file.bytes)) {
    throw DataError("{}: a JPEG that says it has {} x {} pixels, which its {} bytes cannot hold",
                    file.name, jpeg.width(), jpeg.height(), file.bytes.size());
  }
  const J_COLOR_SPACE space = jpeg.space();
  if (space == JCS_CMYK || space == JCS_YCCK || space == JCS_UNKNOWN) {
    throw DataError("{}: a JPEG in the colours of a printer (CMYK); convert it to RGB", file.name);
  }
  const std::int64_t channels = space == JCS_GRAYSCALE ? 1 : 3;
  return Image::of_bytes(jpeg.height(), jpeg.width(), channels, jpeg.pixels(channels));
}

}  // namespace heed::images
