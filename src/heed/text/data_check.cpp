// SPDX-License-Identifier: Apache-2.0
// One pass over a part of the data: each row is counted, measured, hashed, and perhaps sampled.
#include "heed/text/data_check.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "heed/base/error.h"
#include "heed/base/progress.h"
#include "heed/base/random.h"
#include "heed/base/text.h"
#include "heed/text/encoding.h"
#include "heed/text/labelled.h"
#include "heed/text/line_facts.h"
#include "heed/text/white_space.h"

namespace heed::text {
namespace {

constexpr std::uint64_t kSampleStream = 0x43484543;  // "CHEC": no other stream of the seed
constexpr std::size_t kMostClasses = 10'000;         // of an aspect that are counted
constexpr std::uint64_t kMostRefused = 1000;         // rows that are looked at after a refusal
constexpr std::size_t kJudgedTogether = 1000;        // pairs that give the usual ratio of lengths
constexpr double kOddRatio = 3;
constexpr std::uint64_t kShortCharacters = 20;  // of which no ratio is odd
constexpr std::uint64_t kProgressRows = 4096;
constexpr std::uint64_t kManyWords = 10'000;  // of one text, which may be several

std::uint64_t size_on_disk(const PairFiles& files) {
  std::uint64_t bytes = 0;
  for (const std::filesystem::path& file : {files.source, files.target}) {
    std::error_code ignored;
    if (file.extension() == ".gz") return 0;
    const std::uintmax_t size = file.empty() ? 0 : std::filesystem::file_size(file, ignored);
    if (!ignored) bytes += size;
  }
  return bytes;
}

bool in_quotes(std::string_view field) {
  const std::string_view text = trim(field);
  return text.size() > 1 && text.front() == '"' && text.back() == '"';
}

// Pairs whose lengths are not as those of others; the first thousand are judged by all of them.
class RatioJudge {
 public:
  explicit RatioJudge(CountedLines& odd) : odd_(odd) {}

  void add(std::uint64_t source, std::uint64_t target, std::uint64_t line) {
    source_ += static_cast<double>(source);
    target_ += static_cast<double>(target);
    if (done_) return judge({source, target, line});
    waiting_.push_back({source, target, line});
    if (waiting_.size() >= kJudgedTogether) finish();
  }
  void finish() {
    done_ = true;
    for (const Pair& pair : waiting_) judge(pair);
    waiting_.clear();
  }

 private:
  struct Pair {
    std::uint64_t source;
    std::uint64_t target;
    std::uint64_t line;
  };
  void judge(const Pair& pair) {
    if (std::max(pair.source, pair.target) < kShortCharacters) return;
    const double ratio =
        static_cast<double>(pair.source) * target_ / (static_cast<double>(pair.target) * source_);
    if (ratio > kOddRatio || ratio < 1 / kOddRatio) odd_.add(pair.line);
  }

  CountedLines& odd_;
  double source_ = 0;
  double target_ = 0;
  std::vector<Pair> waiting_{};
  bool done_ = false;
};

// Rows drawn with equal chances (Vitter's reservoir, 1985), within a number of bytes.
class RowSample {
 public:
  explicit RowSample(const CheckOptions& options)
      : rows_(options.sample_rows),
        bytes_(options.sample_bytes),
        random_(options.seed, kSampleStream) {}

  void offer(const LinePair& row) {
    if (rows_ == 0) return;
    ++seen_;
    const std::size_t size = row.source.size() + row.target.size();
    if (size > bytes_ / 4) return;
    if (sample_.size() < rows_ && used_ + size <= bytes_) {
      used_ += size;
      sample_.push_back(row);
      return;
    }
    const std::uint64_t chosen = random_.integer(seen_);
    if (chosen >= sample_.size()) return;
    LinePair& old = sample_[static_cast<std::size_t>(chosen)];
    used_ -= old.source.size() + old.target.size();
    used_ += size;
    old = row;
    while (used_ > bytes_ && sample_.size() > 1) {
      used_ -= sample_.back().source.size() + sample_.back().target.size();
      sample_.pop_back();
    }
  }
  std::vector<LinePair> in_order() {
    std::ranges::sort(sample_, {}, &LinePair::line);
    return std::move(sample_);
  }

 private:
  std::size_t rows_;
  std::size_t bytes_;
  Random random_;
  std::uint64_t seen_ = 0;
  std::size_t used_ = 0;
  std::vector<LinePair> sample_{};
};

class PartReader {
 public:
  PartReader(const DataPart& part, const CheckOptions& options)
      : options_(options), sample_(options), ratio_(result_.unequal) {
    result_.part = part;
    result_.sketch = std::make_shared<LineSketch>();
    counts_.resize(part.aspects.size());
  }

  PartCheck read() {
    PairReader reader(result_.part.files, nullptr, BadLines::taken);
    result_.name = reader.name();
    if (!is_wide()) read_rows(reader);
    result_.bytes = reader.bytes();
    result_.empty = joined(reader.empty(), result_.empty);
    ratio_.finish();
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      Aspect& aspect = result_.classes.emplace_back();
      aspect.name = result_.part.aspects[i];
      for (const auto& [label, count] : std::map(counts_[i].begin(), counts_[i].end())) {
        aspect.classes.push_back(label);
        aspect.counts.push_back(count);
      }
    }
    if (result_.texts == 0) refuse(reader.nothing_left().what());
    result_.sample = sample_.in_order();
    return std::move(result_);
  }

 private:
  static CountedLines joined(const CountedLines& some, const CountedLines& more) {
    CountedLines sum = some;
    sum.count += more.count;
    sum.first.insert(sum.first.end(), more.first.begin(), more.first.end());
    std::ranges::sort(sum.first);
    if (sum.first.size() > CountedLines::kKept) sum.first.resize(CountedLines::kKept);
    return sum;
  }

  std::string name_of(bool target) const {
    const PairFiles& files = result_.part.files;
    return target && !files.target.empty() ? files.target.string() : files.source.string();
  }

  void refuse(std::string_view problem) {
    if (result_.problem.empty()) result_.problem = problem;
  }

  // UTF-16 and the like would give nothing but odd lines.
  bool is_wide() {
    for (const std::filesystem::path& file :
         {result_.part.files.source, result_.part.files.target}) {
      if (file.empty()) continue;
      try {
        LineReader(file).more();
      } catch (const DataError& error) {
        refuse(error.what());
        result_.encoding.add(1);
        return true;
      }
    }
    return false;
  }

  void read_rows(PairReader& reader) {
    Progress progress({.what = "check", .total = size_on_disk(result_.part.files)});
    LinePair row;
    for (std::uint64_t number = 0;; ++number) {
      if (number % kProgressRows == 0) progress.update(reader.bytes());
      if (options_.most_bytes > 0 && reader.bytes() >= options_.most_bytes) {
        result_.whole = !reader.more();
        return;
      }
      const std::uint64_t before = reader.bytes();
      try {
        if (!reader.next(row)) return;
      } catch (const DataError& error) {
        refuse(error.what());
        // A damaged file gives no further line.
        if (reader.bytes() == before || !reader.more()) return;
        result_.unreadable.add(row.line);
        continue;
      }
      take(row, reader);
    }
  }

  void take(const LinePair& row, const PairReader& reader) {
    if (reader.was_cut()) {
      result_.too_long.add(row.line);
      refuse(fmt::format("{}:{}: the line has more than {}; is this text, one sentence a line?",
                         result_.name, row.line, human_bytes(LineReader::kMostBytes)));
      return;
    }
    const LineFacts source = facts_of(row.source);
    const LineFacts target = facts_of(row.target);
    for (const auto& [facts, text] :
         {std::pair(&source, &row.source), std::pair(&target, &row.target)}) {
      if (facts->bad == text->npos) continue;
      result_.encoding.add(row.line);
      refuse(not_utf8(*text, facts->bad, name_of(text == &row.target), row.line));
      return;
    }
    if (std::max(source.words, target.words) > kManyWords) result_.too_long.add(row.line);
    if (source.control || target.control) {
      result_.control.add(row.line);
      for (const std::string* text : {&row.source, &row.target}) {
        if (text->find('\0') == text->npos) continue;
        refuse(
            fmt::format("{}:{}: NUL, which no text holds", name_of(text == &row.target), row.line));
      }
    }
    if (source.replaced || target.replaced) result_.replaced.add(row.line);
    if (result_.part.labelled) return take_labelled(row);
    ++result_.texts;
    result_.characters += source.characters;
    result_.words.add(source.words);
    if (!row.target.empty()) {
      result_.second_words.add(target.words);
      ratio_.add(source.characters, target.characters, row.line);
    }
    remember(text_hash(row.source, row.target.empty() ? 0 : text_hash(row.target)), row.line, 0);
    sample_.offer(row);
  }

  void take_labelled(const LinePair& row) {
    // A file of which nothing can be read is not tried to its end.
    if (result_.texts == 0 && result_.unreadable.count >= kMostRefused) {
      return result_.unreadable.add(row.line);
    }
    std::vector<LabelledText> texts;
    try {
      texts = labelled_texts(*result_.part.labelled, row.source, result_.name, row.line);
    } catch (const DataError& error) {
      refuse(error.what());
      return result_.unreadable.add(row.line);
    }
    if (texts.empty() && result_.part.labelled->format != LabelledFormat::trees) {
      result_.empty.add(row.line);
    }
    for (const LabelledText& one : texts) {
      if (result_.texts++ == 0) result_.first_labels = one.labels;
      const LineFacts facts = facts_of(one.text);
      result_.characters += facts.characters;
      result_.words.add(facts.words);
      if (!one.second.empty()) result_.second_words.add(facts_of(one.second).words);
      std::uint64_t said = 0;
      bool quoted = in_quotes(one.text);
      for (std::size_t i = 0; i < one.labels.size(); ++i) {
        count_label(i, one.labels[i]);
        said = text_hash(one.labels[i], said);
        quoted = quoted || in_quotes(one.labels[i]);
      }
      result_.label_words += facts_of(one.labels.front()).words;
      if (quoted && !result_.part.labelled->table.quotes) result_.quoted.add(row.line);
      remember(text_hash(one.text, one.second.empty() ? 0 : text_hash(one.second)), row.line,
               static_cast<std::uint32_t>(said >> 32));
    }
    if (!texts.empty()) sample_.offer(row);
  }

  void count_label(std::size_t aspect, const std::string& label) {
    if (aspect >= counts_.size()) return;
    auto& counts = counts_[aspect];
    const auto found = counts.find(label);
    if (found != counts.end()) {
      ++found->second;
    } else if (counts.size() < kMostClasses) {
      counts.emplace(label, 1);
    } else {
      result_.many_classes = true;
    }
  }

  void remember(std::uint64_t hash, std::uint64_t line, std::uint32_t said) {
    result_.sketch->add(hash, line, said);
    if (options_.training == nullptr || !options_.training->kept(hash)) return;
    ++result_.compared;
    if (options_.training->find(hash) != nullptr) result_.shared.add(line);
  }

  const CheckOptions& options_;
  PartCheck result_{};
  RowSample sample_;
  RatioJudge ratio_;
  std::vector<std::unordered_map<std::string, std::uint64_t>> counts_{};
};

}  // namespace

PartCheck check_part(const DataPart& part, const CheckOptions& options) {
  return PartReader(part, options).read();
}

}  // namespace heed::text
