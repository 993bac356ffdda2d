// SPDX-License-Identifier: Apache-2.0
// Stories as a memory network reads them: distinct sentences in words, questions with the slots of
// their memory, and batches of these.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "heed/base/random.h"
#include "heed/models/memory_network.h"
#include "heed/pipeline/memory/memory_options.h"
#include "heed/text/stories.h"
#include "heed/text/tokeniser.h"

namespace heed::pipeline {

// The file of a model folder that holds MemorySizes: lines `slots<TAB>10` and `words<TAB>7`.
inline constexpr const char* kMemoryFile = "memory.tsv";
std::string written_sizes(const MemorySizes& sizes);
// DataError naming the file for anything else.
MemorySizes parse_sizes(std::string_view text, const std::string& name);

// The vocabulary of stories: their words, and their answers, each a piece whatever it is made of.
std::unique_ptr<text::Tokeniser> story_vocabulary(std::span<const text::Story> stories);

// A question with its memory; numbers are those of sentences in StoryTable.
struct AskedQuestion {
  std::int32_t question = 0;
  std::vector<std::int32_t> keys{};    // oldest first
  std::vector<std::int32_t> values{};  // of key-value memories
  std::vector<int> places{};           // of each slot the place of its sentence in the story
  text::Token answer = text::kUnknown;
  std::vector<int> support{};  // slots that decide; -1: not in the memory
  std::uint64_t line = 0;
  std::size_t file = 0;
};

// Which sentences of a story a question sees, and how they are cut.
struct MemoryRules {
  MemorySizes sizes{};
  Memories memories = Memories::sentences;
  Candidates candidates = Candidates::newest;
};

class StoryTable {
 public:
  // Empty sentences first: number models::kEmptySentence.
  explicit StoryTable(const text::Tokeniser& tokeniser) : tokeniser_(&tokeniser) { number_of(""); }

  // Words that the vocabulary lacks read as the null word. DataError, which begins with `name` and
  // the line, for a sentence of more words than the model has places for.
  AskedQuestion add(const text::Story& story, const text::StoryQuestion& question,
                    const MemoryRules& rules, const std::string& name);
  // Of the sentence with this number.
  const text::Tokens& words(std::int32_t number) const {
    return sentences_[static_cast<std::size_t>(number)];
  }
  std::size_t size() const { return sentences_.size(); }

 private:
  std::int32_t number_of(std::string_view sentence);
  std::int32_t checked(std::string_view sentence, const MemorySizes& sizes, const std::string& name,
                       std::uint64_t line);

  const text::Tokeniser* tokeniser_;
  std::vector<text::Tokens> sentences_;
  std::map<text::Tokens, std::int32_t> numbers_;
  std::map<std::string, std::int32_t, std::less<>> texts_;
};

// The sizes that these stories ask for: as many slots as the longest of them has sentences before
// its last question, at most `most`, and words of their longest sentence or question.
MemorySizes sizes_of(std::span<const text::Story> stories, std::int64_t most);

// The batch of these questions. With noise, ages are drawn among a share `time_noise` more places.
models::StoryBatch story_batch(const StoryTable& table, std::span<const AskedQuestion> questions,
                               std::span<const std::size_t> chosen, const MemorySizes& sizes,
                               double time_noise, Random* noise);
// The ages of n sentences, oldest first: n of n + U{0 .. ceil(share n)} places in order.
std::vector<std::int32_t> noisy_ages(std::int64_t count, double share, Random& random);

// The stories of a file, those that `keep` holds out left out or alone left.
struct StoryFile {
  std::string name{};
  std::vector<text::Story> stories{};
};
enum class HeldOut { left_out, alone };
std::vector<StoryFile> read_story_files(std::span<const std::string> files,
                                        const text::HoldOut& held, HeldOut which);

}  // namespace heed::pipeline
