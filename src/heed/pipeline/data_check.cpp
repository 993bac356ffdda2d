// SPDX-License-Identifier: Apache-2.0
// Parts of data, each compared with those before; files that are given twice.
#include "heed/pipeline/data_check.h"

#include <filesystem>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/text/fingerprint.h"

namespace heed::pipeline {
namespace {

namespace fs = std::filesystem;

bool are_one_file(const fs::path& a, const fs::path& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  if (!fs::is_regular_file(a, error) || !fs::is_regular_file(b, error)) return false;
  return fs::file_size(a, error) > 0 && fs::file_size(a, error) == fs::file_size(b, error) &&
         text::fingerprint(a) == text::fingerprint(b);
}

void suspect_files(const std::vector<text::DataPart>& parts, std::vector<std::string>& warnings) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const text::PairFiles& mine = parts[i].files;
    if (are_one_file(mine.source, mine.target)) {
      warnings.push_back(
          fmt::format("{}: source and target are the same text; give the "
                      "translation as the target",
                      mine.target.string()));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (!are_one_file(parts[j].files.source, mine.source)) continue;
      warnings.push_back(
          fmt::format("{}: {} and {} data are the same text, so that validation "
                      "shows nothing; give texts of its own, or --valid-fraction",
                      mine.source.string(), parts[j].role, parts[i].role));
    }
  }
}

void suspect_folder(const KindOptions& options, std::vector<std::string>& warnings) {
  std::error_code error;
  for (const std::string& file : options.data_files()) {
    if (file.empty() || options.out.empty()) continue;
    const fs::path folder = fs::path(file).has_parent_path() ? fs::path(file).parent_path() : ".";
    if (!fs::equivalent(folder, options.out, error) || error) continue;
    warnings.push_back(
        fmt::format("--out {}: the data are in this folder too, and the model's "
                    "files would lie between them; give the model its own",
                    options.out));
    return;
  }
}

std::string lengths(const text::LengthCounts& words) {
  return fmt::format("{} to {} words (median {})", words.least(), words.most(), words.median());
}

}  // namespace

DataCheck check_data(const KindOptions& options, std::uint64_t most_bytes) {
  DataCheck check;
  const std::vector<text::DataPart> parts = options.data_parts();
  for (const text::DataPart& part : parts) {
    if (part.files.source == "-" || part.files.target == "-") continue;  // it can be read once
    const bool first = check.parts.empty();
    // Files to learn from may be several, and what they share is no mistake.
    const bool same = !first && (part.role == parts.front().role ||
                                 are_one_file(parts.front().files.source, part.files.source));
    check.parts.push_back(text::check_part(
        part, {.most_bytes = most_bytes,
               .sample_rows = first ? kTriedRows : 0,
               .seed = options.trainer.seed,
               .training = first || same ? nullptr : check.parts.front().sketch.get()}));
  }
  suspect_files(parts, check.warnings);
  suspect_folder(options, check.warnings);
  for (const text::PartCheck& part : check.parts) {
    for (const std::string& one : text::suspicions(part)) {
      check.warnings.push_back(fmt::format("{}: {}", part.name, one));
    }
  }
  return check;
}

std::vector<std::string> summary(const DataCheck& check) {
  std::vector<std::string> lines;
  for (const text::PartCheck& part : check.parts) {
    const bool pairs = part.second_words.count() > 0;
    const std::string what = pairs ? "pair" : "text";
    std::string line =
        fmt::format("{}: {}{} {}, {}", part.name, part.whole ? "" : "the first ", part.texts,
                    part.texts == 1 ? what : what + "s", lengths(part.words));
    if (pairs) line += " and " + lengths(part.second_words);
    for (const text::Aspect& aspect : part.classes) {
      line += fmt::format(", {}{} class{}{}", part.many_classes ? "more than " : "",
                          aspect.classes.size(), aspect.classes.size() == 1 ? "" : "es",
                          part.classes.size() > 1 ? " of " + aspect.name : "");
    }
    if (part.part.labelled && part.part.labelled->header) {
      line += "; " + part.part.labelled->chosen();
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace heed::pipeline
