// SPDX-License-Identifier: Apache-2.0
// `heed demo`: a translator learns English to French from scratch, translates sentences it has
// never seen, shows where it looked, and leaves a page to look around in.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>

#include "cli/interrupted.h"
#include "cli/verb.h"
#include "heed/base/file.h"
#include "heed/base/output_file.h"
#include "heed/corpora/corpus.h"
#include "heed/corpora/corpus_files.h"
#include "heed/insight/page/page.h"
#include "heed/insight/terminal/heatmap.h"
#include "heed/metrics/accuracy.h"
#include "heed/metrics/alignment.h"
#include "heed/metrics/bleu.h"
#include "heed/pipeline/translate/translation_options.h"
#include "heed/pipeline/translate/translator.h"

namespace heed::cli {
namespace {

struct DemoOptions {
  std::string out = "heed-demo";
  std::string attention = "additive";
  std::int64_t size = 0;
  std::int64_t updates = 3600;
  double minutes = 3;
  std::uint64_t seed = 1;
  bool force = false;
  Options list;

  DemoOptions() {
    list.add("out", out, "folder of the corpus and the model").letter('o').kind("FOLDER");
    list.add("attention", attention, "the mechanism, in its written form; none: no attention");
    list.add("size", size, "sentence pairs; 0: all of the corpus").at_least(0);
    list.add("updates", updates, "updates of training").range(1, 1e9);
    list.add("minutes", minutes, "at most this many minutes of training").above(0);
    list.add("seed", seed, "of all random numbers");
    list.add("force", force, "replace files of the folder that hold something else");
  }
};

// A small network of Bahdanau 2015: enough for a grammar of some hundred words.
void set_training(const DemoOptions& demo, const std::filesystem::path& data,
                  pipeline::TranslationOptions& options) {
  options.out = (std::filesystem::path(demo.out) / "model").string();
  options.train_source = (data / "train.en").string();
  options.train_target = (data / "train.fr").string();
  options.valid_source = (data / "valid.en").string();
  options.valid_target = (data / "valid.fr").string();
  options.vocabulary.tokeniser = text::TokeniserKind::words;
  options.model.model = "seq2seq";
  options.model.attention = demo.attention;
  options.model.embedding = 96;
  options.model.hidden = 192;
  options.model.encoder_hidden = 96;
  options.model.encoder_layers = options.model.decoder_layers = 1;
  options.model.stack.dropout = 0;
  options.model.tie = models::Tie::none;
  options.batch_tokens = 1000;
  options.label_smoothing = 0;
  options.valid_sentences = 200;
  options.valid_metrics = {"bleu", "exact"};
  options.trainer.max_updates = demo.updates;
  options.trainer.max_minutes = demo.minutes;
  options.trainer.schedule.peak = .004;
  options.trainer.schedule.decay = training::Decay::cosine;
  options.trainer.schedule.decay_updates = demo.updates;
  options.trainer.schedule.warm_up = std::min<std::int64_t>(150, demo.updates / 10);
  options.trainer.clip_norm = 1;
  options.trainer.validate_every = "800";
  options.trainer.save_every = "800";
  options.trainer.seed = demo.seed;
}

void show_results(const pipeline::Translator& translator,
                  const std::vector<corpora::Example>& test) {
  std::vector<std::string> sources;
  std::vector<std::string> references;
  std::vector<text::Alignment> gold;
  for (const corpora::Example& example : test) {
    sources.push_back(example.source);
    references.push_back(example.target);
    gold.push_back(example.alignment);
  }
  const auto all = translator.translate(sources, {.beam = {.width = 1}, .attention = true});
  std::vector<std::string> texts;
  std::vector<text::Alignment> found;
  for (const pipeline::Translations& best : all) {
    texts.push_back(best.front().text);
    found.push_back(best.front().alignment);
  }
  fmt::print("\nSentences it has never seen:\n\n");
  for (std::size_t i = 0; i < std::min<std::size_t>(5, test.size()); ++i) {
    fmt::print("  {}\n  {}{}\n\n", sources[i], texts[i],
               texts[i] == references[i] ? "" : fmt::format("   (right: {})", references[i]));
  }
  const auto shown = std::ranges::find_if(
      sources, [](const std::string& source) { return std::ranges::count(source, ' ') == 6; });
  if (shown != sources.end()) {
    const pipeline::Translation& best =
        all[static_cast<std::size_t>(shown - sources.begin())].front();
    if (best.weights.defined()) {
      fmt::print("Where it looked, a row for each word it wrote:\n\n{}\n",
                 insight::heatmap(best.weights, {.rows = best.pieces,
                                                 .columns = best.source_pieces,
                                                 .screen = insight::screen_of(STDOUT_FILENO)}));
    }
  }
  fmt::print(
      "{} held-out sentences: {:.1f}% exactly right, BLEU {:.1f}, alignment error rate {:.3f}\n",
      test.size(), 100 * metrics::exact_match(texts, references).share(),
      metrics::corpus_bleu(texts, {{references}}).score,
      metrics::alignment_score(found, gold).error_rate());
}

// The page of the first held-out sentences, with the links of the grammar where the translation is
// the right one; says where it is. Without attention there is nothing to show.
void write_page(const pipeline::Translator& translator, std::span<const corpora::Example> test,
                const std::filesystem::path& path) {
  constexpr std::size_t kShown = 12;
  test = test.first(std::min(kShown, test.size()));
  std::vector<std::string> sources;
  for (const corpora::Example& example : test) sources.push_back(example.source);
  auto all = translator.translate(sources, {.beam = {.width = 1}, .trace = true});
  insight::TraceDocument document{.model = "demo", .task = "translate"};
  for (std::size_t i = 0; i < all.size(); ++i) {
    pipeline::Translation& best = all[i].front();
    if (best.trace.attentions.empty()) continue;
    if (best.text == test[i].target) best.trace.gold = test[i].alignment;
    document.examples.push_back(std::move(best.trace));
  }
  if (document.examples.empty()) return;
  write_atomically(path, insight::page(document, {.title = "Where the demo looked"}));
  fmt::print("\nWhere it looked in {} of them, to look around in with a browser:\n  {}\n",
             document.examples.size(), std::filesystem::absolute(path).lexically_normal().string());
}

void run(const DemoOptions& demo) {
  const std::filesystem::path data = std::filesystem::path(demo.out) / "data";
  const corpora::Corpus corpus =
      corpora::make_corpus("phrases", {.seed = demo.seed, .size = demo.size});
  corpora::write_corpus(corpus, corpora::find_corpus("phrases"), data,
                        demo.force ? corpora::Existing::replaced : corpora::Existing::refused);
  const std::filesystem::path page = std::filesystem::path(demo.out) / "page.html";
  check_output(page, {.force = demo.force});
  pipeline::TranslationOptions options;
  set_training(demo, data, options);
  fmt::print("{} pairs of sentences from the built-in corpus, in {}. The first:\n\n  {}\n  {}\n\n",
             corpus.train.size(), data.string(), corpus.train.front().source,
             corpus.train.front().target);
  fmt::print("A GRU reads English, another writes French, and \"{}\" lets it look back.\n\n",
             demo.attention);
  flush_output();
  const pipeline::TrainingReport report = pipeline::train(options);
  require_finished(report);
  const pipeline::Translator translator(options.out);
  show_results(translator, corpus.test);
  write_page(translator, corpus.test, page);
  fmt::print(
      "\nThe model is in {0}. Try it:\n  heed translate --model {0} --show\n"
      "  heed view {0} --text \"{1}\" --svg picture.svg\n",
      options.out, corpus.test.front().source);
}

Action set_up(CommandLine& line) {
  auto options = std::make_shared<DemoOptions>();
  return line.with_options(options->list, [options] { run(*options); });
}

const ListedVerb kListed(
    {.name = "demo",
     .summary = "Train a translator on a built-in corpus and show where it looks",
     .description = "",
     .example = "heed demo\nheed demo --attention \"additive | full | sparsemax\"",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
