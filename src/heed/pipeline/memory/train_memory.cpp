// SPDX-License-Identifier: Apache-2.0
// From files of stories to a memory network: vocabulary, sizes, batches in an order of each epoch,
// a linear start, and the error of each file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/base/warning.h"
#include "heed/pipeline/examples.h"
#include "heed/pipeline/memory/memory_options.h"
#include "heed/pipeline/memory/story_data.h"
#include "heed/pipeline/memory/story_quality.h"
#include "heed/pipeline/starting_weights.h"
#include "heed/pipeline/vocabulary_options.h"

namespace heed::pipeline {
namespace {

constexpr std::uint64_t kOrderStream = 0x51554553;  // "QUES": no other stream of the seed

std::vector<text::Story> all_stories(std::span<const StoryFile> files) {
  std::vector<text::Story> all;
  for (const StoryFile& file : files) {
    all.insert(all.end(), file.stories.begin(), file.stories.end());
  }
  return all;
}

TokeniserPointer find_vocabulary(const MemoryOptions& options, std::span<const StoryFile> files) {
  if (options.goes_on()) return text::load_tokeniser(options.folder().file(kTokeniserFile));
  if (!options.init_from.empty()) {
    return text::load_tokeniser(ModelFolder{options.init_from}.file(kTokeniserFile));
  }
  return story_vocabulary(all_stories(files));
}

MemorySizes find_sizes(const MemoryOptions& options, std::span<const StoryFile> files) {
  if (!options.init_from.empty()) {
    const std::filesystem::path file = ModelFolder{options.init_from}.file(kMemoryFile);
    return parse_sizes(read_file(file), file.string());
  }
  return sizes_of(all_stories(files), options.slots);
}

std::vector<AskedQuestion> questions_of(std::span<const StoryFile> files, StoryTable& table,
                                        const MemoryRules& rules) {
  std::vector<AskedQuestion> questions;
  for (std::size_t file = 0; file < files.size(); ++file) {
    for (const text::Story& story : files[file].stories) {
      for (const text::StoryQuestion& question : story.questions) {
        questions.push_back(table.add(story, question, rules, files[file].name));
        questions.back().file = file;
      }
    }
  }
  return questions;
}

// All questions again and again, those of each epoch in an order of its own; batches take no notice
// of where one ends, so that all have the same size.
class QuestionOrder {
 public:
  QuestionOrder(std::size_t questions, std::uint64_t seed) : seed_(seed), order_(questions) {}

  std::vector<std::size_t> next(std::int64_t count) {
    std::vector<std::size_t> chosen;
    const std::uint64_t before = epoch();
    for (std::int64_t i = 0; i < count; ++i) chosen.push_back(at(place_++));
    ended_epoch_ = epoch() > before;
    return chosen;
  }
  std::uint64_t epoch() const { return place_ / order_.size(); }
  bool ended_epoch() const { return ended_epoch_; }
  std::uint64_t place() const { return place_; }
  void seek(std::uint64_t place) { place_ = place; }

 private:
  std::size_t at(std::uint64_t place) {
    const std::uint64_t epoch = place / order_.size();
    if (epoch + 1 != shuffled_) {
      std::iota(order_.begin(), order_.end(), std::size_t{0});
      Random random(seed_, kOrderStream + (epoch << 32));
      random.shuffle(order_);
      shuffled_ = epoch + 1;
    }
    return order_[place % order_.size()];
  }

  std::uint64_t seed_;
  std::vector<std::size_t> order_;
  std::uint64_t shuffled_ = 0;  // the epoch it is of, plus one
  std::uint64_t place_ = 0;
  bool ended_epoch_ = false;
};

// The error of held-out stories, always with the attention that the finished model has.
class StoryValidation {
 public:
  StoryValidation(const MemoryOptions& options, const text::Tokeniser& tokeniser,
                  const models::MemoryNetwork& model, const MemorySizes& sizes)
      : model_(model), sizes_(sizes), table_(tokeniser) {
    if (!options.validates()) return;
    const bool own = !options.valid.empty();
    const std::vector<StoryFile> files =
        own ? read_story_files(options.valid, {}, HeldOut::alone)
            : read_story_files(options.train, options.held(), HeldOut::alone);
    const MemoryRules rules{sizes, options.memories, options.candidates};
    for (const StoryFile& file : files) {
      tasks_.push_back({file.name, questions_of(std::span(&file, 1), table_, rules)});
    }
    std::vector<std::string> texts;
    for (const StoryFile& file : files) {
      for (const text::Story& story : file.stories) {
        std::vector<std::string> sentences;
        for (std::size_t i = 0; i < story.questions.front().sentences; ++i) {
          sentences.push_back(story.sentences[i].text);
        }
        texts.push_back(join(sentences, " ") + '\t' + story.questions.front().text);
      }
    }
    examples_ = chosen_examples(texts, static_cast<std::size_t>(options.examples));
  }

  const std::vector<std::string>& examples() const { return examples_; }

  std::vector<training::MetricKind> metrics() const {
    if (tasks_.empty()) return {};
    return {{"error", training::Better::lower}, {"loss", training::Better::lower}};
  }

  training::Metrics measure() const {
    std::vector<StoryQuality> all;
    double loss = 0;
    for (const Task& task : tasks_) {
      all.push_back(quality_of(task.name, task.questions,
                               read_questions(model_, table_, task.questions, sizes_)));
      loss += all.back().loss / static_cast<double>(tasks_.size());
    }
    return {{"error", mean_error(all)}, {"loss", loss}};
  }

 private:
  struct Task {
    std::string name;
    std::vector<AskedQuestion> questions;
  };
  const models::MemoryNetwork& model_;
  MemorySizes sizes_;
  StoryTable table_;
  std::vector<Task> tasks_;
  std::vector<std::string> examples_;
};

class MemorySetup final : public TrainingSetup {
 public:
  MemorySetup(const MemoryOptions& options, const Print& print)
      : options_(options),
        files_(read_story_files(options.train, options.held(), HeldOut::left_out)),
        tokeniser_(find_vocabulary(options, files_)),
        sizes_(find_sizes(options, files_)),
        random_(options.trainer.seed),
        model_(options.to_options(tokeniser_->size(), sizes_), random_),
        parameters_(nn::parameters(model_)),
        table_(*tokeniser_),
        questions_(questions_of(files_, table_, {sizes_, options.memories, options.candidates})),
        order_(questions_.size(), options.trainer.seed),
        validation_(options, *tokeniser_, model_, sizes_),
        drawn_(options.draw) {
    start_from(options, parameters_, print);
    check_answers();
    check_attention();
  }

  nn::Parameters parameters() override { return parameters_; }

  training::Task task() override {
    training::Task task{
        .parameters = {},
        .next_batch_loss = [this](Random& noise) { return next(noise); },
        .position = [this] { return written_place(std::vector<std::uint64_t>{order_.place()}); },
        .seek = [this](const std::string& place) { order_.seek(place_numbers(place, 1)[0]); },
        .describe_batch = [this] { return lines_of_batch(); }};
    task.metrics = validation_.metrics();
    if (!task.metrics.empty()) task.validate = [this] { return validation_.measure(); };
    drawn_.join(task);
    return task;
  }

  CardFacts facts() override {
    return {{"hops", fmt::format("{}, each of {}", options_.hops, options_.attention)},
            {"memory", fmt::format("{} slots of {} words at most", sizes_.slots, sizes_.words)},
            {"parameters", fmt::format("{}", nn::parameter_count(parameters_))},
            {"vocabulary", fmt::format("{} words", tokeniser_->size())}};
  }

  std::string data() const override {
    std::size_t stories = 0;
    for (const StoryFile& file : files_) stories += file.stories.size();
    return fmt::format("{} questions of {} stories, memories of {} slots", questions_.size(),
                       stories, sizes_.slots);
  }
  std::vector<const text::Tokeniser*> tokenisers() const override { return {tokeniser_.get()}; }
  std::uint64_t epoch_batches() const override {
    const auto size = static_cast<std::uint64_t>(options_.batch_questions);
    return (questions_.size() + size - 1) / size;
  }
  std::vector<std::string> examples() const override { return validation_.examples(); }
  void save_files(const ModelFolder& folder) const override {
    tokeniser_->save(folder.file(kTokeniserFile));
    write_atomically(folder.file(kMemoryFile), written_sizes(sizes_));
  }
  // The training error, by which one of several seeds is chosen, and whether anything was learnt.
  CardFacts choose(const ModelFolder&, const Print& print) override {
    const std::vector<QuestionRead> read = read_questions(model_, table_, questions_, sizes_);
    for (const std::string& sign : signs_of_collapse(questions_, read)) {
      print ? print("warning: " + sign) : warn(sign);
    }
    const StoryQuality quality = quality_of("training", questions_, read);
    return {{"training error", fmt::format("{:.2f}%", 100 * quality.error())}};
  }

 private:
  // A vocabulary of another training may lack some.
  void check_answers() const {
    for (const AskedQuestion& question : questions_) {
      if (question.answer != text::kUnknown) continue;
      throw DataError(
          "{}:{}: the model that --init-from names does not know the answer; train without it",
          files_[question.file].name, question.line);
    }
  }

  void check_attention() const {
    if (options_.linear_start > 0 && !model_.reads_linearly()) {
      throw UsageError("--linear-start: {} has no normaliser to leave out; give 0",
                       options_.attention);
    }
    if (options_.supervision == 0) return;
    if (!model_.scores_are_logits()) {
      throw UsageError(
          "--supervision: the weights of {} are no softmax of its scores, which it teaches; choose "
          "an attention that ends in softmax",
          options_.attention);
    }
    const auto names_facts = [](const AskedQuestion& question) {
      return !question.support.empty();
    };
    if (std::ranges::none_of(questions_, names_facts)) {
      throw DataError(
          "{}: no question names its supporting facts, which --supervision teaches; add them after "
          "a second tab, or leave it out",
          options_.train.front());
    }
  }

  bool starts_linearly() const {
    return order_.epoch() < static_cast<std::uint64_t>(options_.linear_start);
  }
  // What halving has left of the learning rate.
  double rate() const {
    if (options_.halve_every == 0 || starts_linearly()) return 1;
    const std::uint64_t since = order_.epoch() - static_cast<std::uint64_t>(options_.linear_start);
    const std::uint64_t halvings = since / static_cast<std::uint64_t>(options_.halve_every);
    return std::pow(.5, static_cast<double>(halvings));
  }

  training::BatchLoss next(Random& noise) {
    const models::StoryRead read{.linear = starts_linearly(), .scores = options_.supervision > 0};
    const double rate_now = rate();
    batch_ = order_.next(options_.batch_questions);
    const models::StoryBatch stories =
        story_batch(table_, questions_, batch_, sizes_, options_.time_noise, &noise);
    std::vector<std::int32_t> answers;
    for (const std::size_t at : batch_) answers.push_back(questions_[at].answer);
    const Ids wanted = Ids::of({static_cast<std::int64_t>(answers.size())}, answers);
    const Variable loss = drawn_(noise, [&](const models::Call& call, attention::Draws&) {
      const models::StoryAnswers found = model_(stories, call, read);
      Variable total = cross_entropy(found.logits, wanted, {.reduction = Reduction::sum});
      if (read.scores) total = total + supervision_loss(found.scores);
      return training::SequenceLosses{
          .total = total, .each = [found, wanted] {
            return cross_entropy(found.logits, wanted, {.reduction = Reduction::none}).value();
          }};
    });
    return {.loss = loss,
            .weight = static_cast<double>(batch_.size()),
            .words = words_in(stories),
            .ends_epoch = order_.ended_epoch(),
            .rate = rate_now};
  }

  // Hop k is taught supporting fact k.
  Variable supervision_loss(const Variables& scores) const {
    constexpr std::int32_t kNothing = -1;
    Variable total = Variable(Tensor::scalar(0));
    for (std::size_t hop = 0; hop < scores.size(); ++hop) {
      std::vector<std::int32_t> facts;
      for (const std::size_t at : batch_) {
        const std::vector<int>& support = questions_[at].support;
        facts.push_back(hop < support.size() ? support[hop] : kNothing);
      }
      const Ids wanted = Ids::of({static_cast<std::int64_t>(facts.size())}, facts);
      total = total + cross_entropy(scores[hop], wanted,
                                    {.ignored = kNothing, .reduction = Reduction::sum});
    }
    return total * static_cast<Real>(options_.supervision);
  }

  static double words_in(const models::StoryBatch& stories) {
    return static_cast<double>(std::ranges::count_if(stories.sentences.span(),
                                                     [](std::int32_t word) { return word != 0; }));
  }

  std::string lines_of_batch() const {
    std::vector<std::string> lines;
    for (const std::size_t at : batch_) {
      lines.push_back(fmt::format("{}:{}", files_[questions_[at].file].name, questions_[at].line));
    }
    if (lines.size() > 8) lines.resize(8);
    return "questions " + join(lines, ", ");
  }

  const MemoryOptions& options_;
  std::vector<StoryFile> files_;
  TokeniserPointer tokeniser_;
  MemorySizes sizes_;
  Random random_;
  models::MemoryNetwork model_;
  nn::Parameters parameters_;
  StoryTable table_;
  std::vector<AskedQuestion> questions_;
  QuestionOrder order_;
  StoryValidation validation_;
  training::DrawnLoss drawn_;
  std::vector<std::size_t> batch_;
};

}  // namespace

std::unique_ptr<TrainingSetup> MemoryOptions::setup(const Print& print) const {
  return std::make_unique<MemorySetup>(*this, print);
}

}  // namespace heed::pipeline
