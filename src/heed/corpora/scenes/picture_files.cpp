// SPDX-License-Identifier: Apache-2.0
// Tables are read whole and checked before a picture is opened.
#include "heed/corpora/scenes/picture_files.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/images/image_file.h"

namespace heed::corpora {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostPictures = 10'000'000;

// One line of a table.
struct TableRow {
  std::vector<std::string_view> fields;
  std::string where;
};

// Calls take(row) for each line that is not empty.
void each_row(const images::NamedBytes& table, std::string_view form, std::size_t fewest,
              std::size_t most, const std::function<void(const TableRow&)>& take) {
  std::size_t number = 0;
  for (std::string_view line : split(table.bytes, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    TableRow row{split(line, '\t'), fmt::format("{}:{}", table.name, number)};
    if (const std::size_t bad = invalid_utf8(line);
        bad != line.npos || line.find('\0') != line.npos) {
      throw DataError("{}: is no text in UTF-8", row.where);
    }
    if (row.fields.size() < fewest || row.fields.size() > most || trim(row.fields[0]).empty()) {
      throw DataError("{}: {} fields; a line is {}, with tabs between them", row.where,
                      row.fields.size(), form);
    }
    take(row);
  }
}

std::int64_t number_in(std::string_view text, const TableRow& row, std::int64_t most) {
  const bool digits = !text.empty() && text.size() < 12 &&
                      std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  const std::int64_t number = digits ? parse_integer(text, row.where) : -1;
  if (number >= 0 && number <= most) return number;
  throw DataError("{}: \"{}\"; it takes a whole number from 0 to {}", row.where, shorten(text, 40),
                  most);
}

std::vector<int> region_numbers(std::string_view text, const TableRow& row) {
  std::vector<int> numbers;
  if (text == "-") return numbers;
  for (const std::string_view one : split(text, ',')) {
    numbers.push_back(static_cast<int>(number_in(one, row, 9999)));
  }
  return numbers;
}

std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(text, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}
std::string spaced(std::string_view text) {
  return fmt::format("{}", fmt::join(words_in(text), " "));
}

class PictureTableReader {
 public:
  std::vector<NamedPicture> read(const PictureTables& tables) {
    each_row(tables.captions, "a picture, its caption and perhaps links", 2, 3,
             [this](const TableRow& row) { take_caption(row); });
    each_row(tables.questions, "a picture, a kind, a question, its answer and regions", 5, 5,
             [this](const TableRow& row) { take_question(row); });
    each_row(tables.regions, "a picture, a name, a box and a mask", 4, 4,
             [this](const TableRow& row) { take_region(row); });
    for (const auto& [numbers, where, picture] : asked_) {
      for (const int number : numbers) {
        const std::size_t there = pictures_[picture].said.regions.size();
        if (static_cast<std::size_t>(number) < there) continue;
        throw DataError("{}: region {} of {}, which has {}; they count from 0", where, number,
                        pictures_[picture].file, there);
      }
    }
    return std::move(pictures_);
  }

 private:
  struct Asked {
    std::vector<int> numbers;
    std::string where;
    std::size_t picture;
  };

  std::size_t place_of(const TableRow& row) {
    const auto [at, is_new] = places_.emplace(std::string(trim(row.fields[0])), pictures_.size());
    if (is_new) {
      if (pictures_.size() == kMostPictures) {
        throw DataError("{}: more than {} pictures", row.where, kMostPictures);
      }
      pictures_.push_back({.file = at->first, .where = row.where});
    }
    return at->second;
  }

  void take_caption(const TableRow& row) {
    const std::size_t at = place_of(row);
    Pictured& said = pictures_[at].said;
    if (!said.caption.empty()) {
      throw DataError("{}: a second caption of {}; a picture has one", row.where,
                      pictures_[at].file);
    }
    said.caption = spaced(row.fields[1]);
    if (said.caption.empty()) throw DataError("{}: an empty caption", row.where);
    if (row.fields.size() < 3) return;
    for (const std::string_view one : words_in(row.fields[2])) {
      said.links.push_back(region_numbers(one, row));
      asked_.push_back({said.links.back(), row.where, at});
    }
    if (const std::size_t words = words_in(said.caption).size();
        !said.links.empty() && said.links.size() != words) {
      throw DataError("{}: {} links for {} words; each word has its regions, or -", row.where,
                      said.links.size(), words);
    }
  }

  void take_question(const TableRow& row) {
    const std::size_t at = place_of(row);
    PictureQuestion question{std::string(trim(row.fields[1])), spaced(row.fields[2]),
                             std::string(trim(row.fields[3])), region_numbers(row.fields[4], row)};
    if (question.kind.empty() || question.question.empty() || question.answer.empty()) {
      throw DataError("{}: without a kind, a question or an answer", row.where);
    }
    if (question.answer.find(' ') != std::string::npos) {
      throw DataError("{}: the answer \"{}\"; an answer is one word", row.where,
                      shorten(question.answer, 40));
    }
    asked_.push_back({question.regions, row.where, at});
    pictures_[at].said.questions.push_back(std::move(question));
  }

  void take_region(const TableRow& row) {
    const std::size_t at = place_of(row);
    Region region{.name = spaced(row.fields[1])};
    const auto sides = words_in(row.fields[2]);
    if (sides.size() != 4) {
      throw DataError(
          "{}: the box \"{}\"; it is left, top, right and bottom, with spaces between "
          "them",
          row.where, shorten(row.fields[2], 40));
    }
    const auto side = [&](std::size_t i) { return number_in(sides[i], row, images::kMostSide); };
    region.box = {side(0), side(1), side(2), side(3)};
    if (region.box.left >= region.box.right || region.box.top >= region.box.bottom) {
      throw DataError("{}: the box {} is empty; right and bottom are beyond left and top",
                      row.where, spaced(row.fields[2]));
    }
    std::int64_t last = -1;
    for (const std::string_view run : words_in(row.fields[3])) {
      const std::size_t dash = run.find('-');
      const std::int64_t begin = number_in(run.substr(0, dash), row, images::kMostPixels);
      const std::int64_t end =
          dash == run.npos ? -1 : number_in(run.substr(dash + 1), row, images::kMostPixels);
      if (begin <= last || end <= begin) {
        throw DataError("{}: the run \"{}\"; runs are begin-end, ascending and apart", row.where,
                        shorten(run, 40));
      }
      last = end;
      region.mask.push_back({static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end)});
    }
    pictures_[at].said.regions.push_back(std::move(region));
  }

  std::vector<NamedPicture> pictures_{};
  std::map<std::string, std::size_t> places_{};
  std::vector<Asked> asked_{};
};

std::string numbers_text(const std::vector<int>& numbers) {
  return numbers.empty() ? "-" : fmt::format("{}", fmt::join(numbers, ","));
}

std::string picture_name(std::size_t number) {
  return fmt::format("{:05}.png", number + 1);
}

void check_regions(const NamedPicture& picture, const images::Image& image) {
  for (const Region& region : picture.said.regions) {
    const bool inside =
        region.box.right <= image.width && region.box.bottom <= image.height &&
        (region.mask.empty() || region.mask.back().end <= image.width * image.height);
    if (!inside) {
      throw DataError("{}: the region {} of {} lies beyond its {} x {} pixels", picture.where,
                      region.name, picture.file, image.width, image.height);
    }
  }
}

fs::path table_of(const fs::path& folder, const std::string& part, const char* table) {
  return folder / fmt::format("{}.{}.tsv", part, table);
}

}  // namespace

std::vector<NamedPicture> parse_picture_tables(const PictureTables& tables) {
  return PictureTableReader().read(tables);
}

PictureTexts picture_texts(const PictureSet& set) {
  PictureTexts texts;
  for (std::size_t i = 0; i < set.of.size(); ++i) {
    const Pictured& said = set.of[i];
    const std::string name = picture_name(i);
    if (!said.caption.empty()) {
      texts.captions += fmt::format("{}\t{}", name, said.caption);
      for (std::size_t w = 0; w < said.links.size(); ++w) {
        texts.captions += fmt::format("{}{}", w == 0 ? '\t' : ' ', numbers_text(said.links[w]));
      }
      texts.captions += '\n';
    }
    for (const PictureQuestion& one : said.questions) {
      texts.questions += fmt::format("{}\t{}\t{}\t{}\t{}\n", name, one.kind, one.question,
                                     one.answer, numbers_text(one.regions));
    }
    for (const Region& region : said.regions) {
      std::vector<std::string> runs;
      for (const PixelRun& run : region.mask) {
        runs.push_back(fmt::format("{}-{}", run.begin, run.end));
      }
      texts.regions +=
          fmt::format("{}\t{}\t{} {} {} {}\t{}\n", name, region.name, region.box.left,
                      region.box.top, region.box.right, region.box.bottom, join(runs, " "));
    }
  }
  return texts;
}

PictureSet read_pictures(const fs::path& folder, const std::string& part,
                         const images::ImageForm& form) {
  std::string bytes[3], names[3];
  constexpr const char* kTables[] = {"captions", "questions", "regions"};
  std::error_code ignored;
  for (std::size_t i = 0; i < 3; ++i) {
    const fs::path table = table_of(folder, part, kTables[i]);
    names[i] = table.string();
    if (fs::exists(table, ignored)) bytes[i] = read_file(table);
  }
  if (bytes[0].empty() && bytes[1].empty()) {
    throw DataError("{}: neither {} nor {} is there, or both are empty", folder.string(),
                    table_of("", part, kTables[0]).string(),
                    table_of("", part, kTables[1]).string());
  }
  const auto pictures =
      parse_picture_tables({{bytes[0], names[0]}, {bytes[1], names[1]}, {bytes[2], names[2]}});
  PictureSet set;
  set.images.channels = form.channels;
  images::ImageForm wanted = form;
  for (const NamedPicture& picture : pictures) {
    const fs::path path = folder / part / picture.file;
    if (!fs::exists(path, ignored)) {
      throw DataError("{}: there is no picture {}", picture.where, path.string());
    }
    const images::Image image = images::read_image(path);
    check_regions(picture, image);
    if (wanted.height == 0) {
      wanted.height = image.height;
      wanted.width = image.width;
    }
    const bool fits = image.height == wanted.height && image.width == wanted.width;
    if (!fits && !picture.said.regions.empty()) {
      throw DataError(
          "{}: {} has {} x {} pixels, and {} x {} are wanted; its regions are for the "
          "size it has, so resize both or leave the regions out",
          picture.where, picture.file, image.width, image.height, wanted.width, wanted.height);
    }
    if ((set.size() + 1) * wanted.height * wanted.width > images::kMostSetPixels) {
      throw DataError("{}: more than {} pixels in all pictures of {}", picture.where,
                      images::kMostSetPixels, part);
    }
    set.images.add(images::in_form(image, wanted, path.string()), 0);
    set.of.push_back(picture.said);
  }
  return set;
}

void write_pictures(const PictureSet& set, const fs::path& folder, const std::string& part,
                    Existing existing) {
  const PictureTexts texts = picture_texts(set);
  const std::pair<const char*, const std::string*> tables[] = {
      {"captions", &texts.captions}, {"questions", &texts.questions}, {"regions", &texts.regions}};
  for (const auto& [table, text] : tables) {
    const fs::path path = table_of(folder, part, table);
    std::error_code ignored;
    if (existing == Existing::replaced || !fs::is_regular_file(path, ignored) ||
        read_file(path) == *text) {
      continue;
    }
    throw UsageError(
        "{}: is there already and holds something else; name another folder, or replace it with "
        "--force",
        path.string());
  }
  make_folder(folder / part);
  for (std::size_t i = 0; i < set.of.size(); ++i) {
    write_atomically(folder / part / picture_name(i),
                     images::png_bytes(set.images.image(static_cast<std::int64_t>(i))));
  }
  for (const auto& [table, text] : tables) {
    if (!text->empty()) write_atomically(table_of(folder, part, table), *text);
  }
}

}  // namespace heed::corpora
