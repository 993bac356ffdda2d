// SPDX-License-Identifier: Apache-2.0
// IDX files, as MNIST and its kin come in: images of one size, and their labels.
#pragma once  // public header

#include <filesystem>
#include <span>
#include <string>

#include "heed/images/image_bytes.h"
#include "heed/images/image_set.h"

#pragma GCC visibility push(default)  // exported

namespace heed::images {

// The images of a file in its own bytes, image after image and row after row.
struct IdxImages {
  std::int64_t count = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::span<const std::uint8_t> pixels{};
};

// Whether bytes begin as an IDX file does.
bool is_idx(std::string_view bytes);
// Images without labels; they live as long as the bytes. DataError as read_idx has it.
IdxImages parse_idx_images(const NamedBytes& file);

// Files of images and of their labels, plain or gz. DataError with file and place for what is no
// IDX file, for sizes that its bytes do not have, for labels of `classes` or above and for files of
// different numbers. The names of labels are their numbers.
ImageSet read_idx(const std::filesystem::path& images, const std::filesystem::path& labels,
                  int classes = 256);
// The same of bytes in memory.
ImageSet parse_idx(const NamedBytes& images, const NamedBytes& labels, int classes = 256);

// The two files of a set, as bytes: its images and its labels. UsageError for colours, and for
// labels that a byte does not hold.
std::string idx_of_images(const ImageSet& set);
std::string idx_of_labels(const ImageSet& set);

}  // namespace heed::images

#pragma GCC visibility pop
