// SPDX-License-Identifier: Apache-2.0
// Files listed first, then read one by one.
#include "heed/images/image_folder.h"

#include <algorithm>
#include <set>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/images/image_file.h"
#include "heed/images/resize.h"

namespace heed::images {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 10'000'000;

// The entries of a folder by name, but for hidden ones.
std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    if (!at->path().filename().string().starts_with('.')) entries.push_back(*at);
  }
  if (error) throw DataError("{}: cannot be listed: {}", folder.string(), error.message());
  std::ranges::sort(entries, {}, [](const fs::directory_entry& entry) {
    return entry.path().filename().string();
  });
  return entries;
}

std::vector<LabelledFile> list_folder(const fs::path& folder) {
  std::vector<LabelledFile> files;
  std::size_t labels = 0;
  for (const fs::directory_entry& entry : entries_of(folder)) {
    if (!entry.is_directory()) continue;
    ++labels;
    const std::string label = entry.path().filename().string();
    for (const fs::directory_entry& image : entries_of(entry.path())) {
      if (image.is_regular_file()) {
        files.push_back({image.path(), label, image.path().string()});
      }
    }
  }
  if (labels == 0) {
    throw DataError("{}: has no sub-folders; make one for each label, with its images in it",
                    folder.string());
  }
  if (files.empty()) throw DataError("{}: no images in its sub-folders", folder.string());
  return files;
}

}  // namespace

std::vector<LabelledFile> parse_image_list(const NamedBytes& file) {
  std::vector<LabelledFile> files;
  std::size_t number = 0;
  for (std::string_view line : split(file.bytes, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const std::string where = fmt::format("{}:{}", file.name, number);
    const std::size_t tab = line.find('\t');
    const std::string_view name = trim(line.substr(0, tab));
    const std::string_view label =
        tab == line.npos ? std::string_view() : trim(line.substr(tab + 1));
    if (name.empty() || label.empty() || label.find('\t') != label.npos ||
        line.find('\0') != line.npos) {
      throw DataError("{}: \"{}\"; a line is the file of an image, a tab and its label", where,
                      shorten(line, 60));
    }
    files.push_back({std::string(name), std::string(label), where});
    if (files.size() > kMostFiles) {
      throw DataError("{}: more than {} images", where, kMostFiles);
    }
  }
  if (files.empty()) {
    throw DataError("{}: lists no image; a line is the file of an image, a tab and its label",
                    file.name);
  }
  return files;
}

std::vector<LabelledFile> list_labelled_images(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return list_folder(path);
  std::vector<LabelledFile> files = parse_image_list({read_image_bytes(path), path.string()});
  for (LabelledFile& one : files) {
    one.file = path.parent_path() / one.file;
    if (!fs::exists(one.file, ignored)) {
      throw DataError("{}: there is no image {}; files are looked for from where the list lies",
                      one.where, one.file.string());
    }
  }
  return files;
}

const std::vector<std::string>& fitting_names() {
  static const std::vector<std::string> names = {"inside", "stretched"};
  return names;
}

Image in_form(const Image& image, const ImageForm& form, const std::string& where) {
  if (image.height < kLeastSide || image.width < kLeastSide) {
    throw DataError(
        "{}: an image of {} x {}, in which there is nothing to see; give {} x {} or more", where,
        image.width, image.height, kLeastSide, kLeastSide);
  }
  const Image mine = with_channels(image, form.channels);
  if (form.fitting == Fitting::inside) return fitted(mine, form.height, form.width);
  const Image large = resized(mine, form.height, form.width, Sampling::triangle);
  return Image::of_bytes(form.height, form.width, form.channels, large.bytes());
}

ImageSet read_labelled_images(const LabelledImages& wanted) {
  const std::vector<LabelledFile> files = list_labelled_images(wanted.path);
  ImageSet set{.channels = wanted.form.channels, .names = wanted.names};
  if (set.names.empty()) {
    std::set<std::string> names;
    for (const LabelledFile& file : files) names.insert(file.label);
    set.names.assign(names.begin(), names.end());
  }
  ImageForm form = wanted.form;
  for (const LabelledFile& file : files) {
    const auto found = std::ranges::find(set.names, file.label);
    if (found == set.names.end()) {
      throw DataError("{}: the label \"{}\" is not among those learnt: {}", file.where, file.label,
                      shorten(join(set.names, ", "), 200));
    }
    const Image image = [&] {
      try {
        return read_image(file.file);
      } catch (const DataError& error) {
        if (file.where == file.file.string()) throw;
        throw DataError("{}: {}", file.where, error.what());
      }
    }();
    if (form.height == 0) {
      form.height = image.height;
      form.width = image.width;
    }
    if (form.height * form.width * form.channels > kMostSetPixels / std::ssize(files)) {
      throw DataError(
          "{}: {} images of {} x {} with {} channels are more than {} numbers; make them smaller",
          wanted.path.string(), files.size(), form.width, form.height, form.channels,
          kMostSetPixels);
    }
    set.add(in_form(image, form, file.where), static_cast<int>(found - set.names.begin()));
  }
  return set;
}

}  // namespace heed::images
