// SPDX-License-Identifier: Apache-2.0
// Memory networks, listed among the kinds of models.
#include "heed/base/error.h"
#include "heed/pipeline/memory/asker.h"
#include "heed/pipeline/memory/memory_options.h"
#include "heed/pipeline/memory/story_data.h"
#include "heed/pipeline/model_kind.h"
#include "heed/pipeline/vocabulary_options.h"
#include "heed/text/lines.h"
#include "heed/text/stories.h"

namespace heed::pipeline {
namespace {

constexpr const char* kName = "memory";
constexpr std::int64_t kUsualWords = 200;  // of a vocabulary whose size only the data know

std::unique_ptr<KindOptions> make_options() {
  return std::make_unique<MemoryOptions>();
}

std::vector<std::string> shaping_options() {
  MemoryOptions options;
  Options list;
  declare_memory_network(options, list);
  return list.names();
}

std::unique_ptr<Model> open(const std::filesystem::path& folder) {
  return std::make_unique<Asker>(folder);
}

const ListedKind kListed(
    {.name = kName,
     .noun = "memory network",
     .rank = 5,
     .verb = "heed ask",
     .example = "heed ask {} --story STORY --question \"Where is Mary?\"",
     .files = {kTokeniserFile, kMemoryFile},
     .instead_of_scores = "heed ask answers questions with it, and --data measures it",
     .notes = {.attention = "attention of the question over the memory",
               .output = "a score for every word"},
     .presets = memory_presets,
     .options = make_options,
     .shaping_options = shaping_options,
     .open = open});

text::PairFiles story_lines(const std::string& file) {
  return {.source = file, .columns = text::Columns::source, .numbered = true};
}

}  // namespace

const ModelKind& MemoryOptions::kind() const {
  return *find_kind(kName);
}

const ModelKind& Asker::kind() const {
  return *find_kind(kName);
}

std::vector<std::string> MemoryOptions::data_files() const {
  std::vector<std::string> files = train;
  files.insert(files.end(), valid.begin(), valid.end());
  return files;
}

std::vector<text::DataPart> MemoryOptions::data_parts() const {
  std::vector<text::DataPart> parts;
  for (const std::string& file : train) parts.push_back({.files = story_lines(file)});
  for (const std::string& file : valid) {
    parts.push_back({.role = "validation", .files = story_lines(file)});
  }
  return parts;
}

void MemoryOptions::take_data(std::span<const std::string> files) {
  if (files.empty() || files.size() > 2) {
    throw UsageError("{} files of data; it takes one, or two: training and validation",
                     files.size());
  }
  train = {files[0]};
  valid.clear();
  if (files.size() > 1) valid = {files[1]};
  valid_fraction = 0;
}

// Stories are told from all else by the numbers of their lines.
double MemoryOptions::suits(std::span<const std::string> files) const {
  constexpr int kLooked = 20;
  if (files.empty() || files.size() > 2) return 0;
  text::LineReader reader(files[0], text::BadLines::taken);
  int lines = 0;
  for (std::string line; lines < kLooked && reader.next(line);) {
    if (line.empty()) continue;
    if (!text::is_numbered(line) || (lines == 0 && !line.starts_with("1 "))) return 0;
    ++lines;
  }
  return lines > 1 ? 1 : 0;
}

bool MemoryOptions::validates() const {
  return !valid.empty() || valid_fraction > 0;
}

nn::Parameters MemoryOptions::sketch(Random& random, std::int64_t tokens) const {
  models::MemoryNetwork made(to_options(tokens == 0 ? kUsualWords : tokens, {.slots = slots}),
                             random);
  return nn::parameters(made);
}

}  // namespace heed::pipeline
