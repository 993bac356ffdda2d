// SPDX-License-Identifier: Apache-2.0
// Translation by greedy and by beam search: 32 sentences of 25 tokens into 25 tokens each by a
// small Transformer of random weights, or a text by a model folder, 32 lines at a time.
// benchmarks/peers/translator_pytorch.py does the same work with the same weights.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/bench/harness.h"
#include "cli/bench/translate/translation_case.h"
#include "cli/bench/translate/translation_record.h"
#include "heed/base/error.h"
#include "heed/decoding/search.h"
#include "heed/decoding/translation_stepper.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/translate/translation_options.h"
#include "heed/pipeline/translate/vocabularies.h"
#include "heed/text/batch_plan.h"
#include "heed/text/lines.h"

namespace heed::cli {
namespace {

constexpr std::int64_t kSentences = 32;     // of a batch
constexpr std::int64_t kSourceLength = 25;  // of synthetic sources and outputs, ends included
constexpr int kBeamWidth = 4;

struct TranslateFlags {
  std::string model, input, record;
};

// Passes everything on and counts the rows that were stepped.
class CountedStepper final : public decoding::Stepper {
 public:
  explicit CountedStepper(decoding::Stepper& stepper) : stepper_(stepper) {}
  std::int64_t rows() const override { return stepper_.rows(); }
  Tensor step(const Ids& tokens, attention::Observer* watch) override {
    stepped += tokens.size();
    return stepper_.step(tokens, watch);
  }
  void reorder(const Ids& rows) override { stepper_.reorder(rows); }
  Ids source_lengths() const override { return stepper_.source_lengths(); }
  std::int64_t longest() const override { return stepper_.longest(); }

  std::int64_t stepped = 0;

 private:
  decoding::Stepper& stepper_;
};

TranslationWork synthetic() {
  Random random(1);
  const models::TransformerOptions options = small_transformer();
  TranslationWork work{.model = std::make_unique<models::Transformer>(options, random),
                       .heads = options.stack.heads};
  work.batches.push_back(random_sentences(
      {.count = kSentences, .shortest = kSourceLength, .longest = kSourceLength}, random));
  work.constraints = {.least = {.constant = kSourceLength}, .most = {.constant = kSourceLength}};
  work.constraints.forbidden.push_back(text::kEnd);  // the last token, too, is no end
  return work;
}

TranslationWork of_folder(const TranslateFlags& flags) {
  const pipeline::ModelFolder folder{flags.model};
  folder.check("translate");
  pipeline::TranslationOptions options;
  folder.read_config(options.list);
  const pipeline::Vocabularies vocabularies = pipeline::load_vocabularies(folder, options);
  Random random(0);
  TranslationWork work{
      .model = folder.made([&] { return make_model(options.model, vocabularies.sizes(), random); }),
      .heads = options.model.stack.heads};
  nn::Parameters parameters = nn::parameters(*work.model);
  folder.load_weights(parameters);
  std::vector<text::Tokens> sentences;
  text::LineReader reader(flags.input);
  for (std::string line; reader.next(line);) {
    sentences.push_back(vocabularies.source->encode(line).tokens);
  }
  if (sentences.empty())
    throw DataError("{}: no line to translate; give at least one", flags.input);
  for (const text::LineBatch& batch :
       text::line_batches(sentences, text::BatchSize{.sentences = kSentences})) {
    work.batches.push_back(models::sequences(batch.rows));
  }
  return work;
}

std::vector<decoding::Hypothesis> searched(decoding::Stepper& stepper, int width,
                                           const decoding::Constraints& constraints) {
  if (width == 1) return decoding::greedy(stepper, {.constraints = constraints});
  std::vector<decoding::Hypothesis> best;
  for (auto& all : decoding::beam_search(stepper, {.width = width, .constraints = constraints})) {
    best.push_back(std::move(all.front()));
  }
  return best;
}

BenchRow search_row(const char* name, const TranslationWork& work, int width) {
  double tokens = 0;
  double products = 0;
  const TokenProducts each = token_products(*work.model);
  for (const models::Sequences& batch : work.batches) {
    decoding::TranslationStepper stepper(*work.model, batch);
    CountedStepper counted(stepper);
    for (const auto& found : searched(counted, width, work.constraints)) {
      tokens += static_cast<double>(found.token_log_probabilities.size());
    }
    products += each.per_target * static_cast<double>(counted.stepped);
    for (const std::int32_t length : batch.lengths.span()) products += each.per_source * length;
  }
  BenchRow row = measure(name, {.flops = 2 * products}, [&] {
    for (const models::Sequences& batch : work.batches) {
      decoding::TranslationStepper stepper(*work.model, batch);
      searched(stepper, width, work.constraints);
    }
  });
  row.words_per_second = tokens / (row.ms * 1e-3);
  return row;
}

std::vector<BenchRow> translate_rows(const TranslateFlags& flags) {
  if (flags.model.empty() != flags.input.empty()) {
    throw UsageError("--model and --input belong together: a model folder and a text for it");
  }
  const TranslationWork work = flags.model.empty() ? synthetic() : of_folder(flags);
  if (!flags.record.empty()) {
    std::vector<std::vector<decoding::Hypothesis>> outputs;
    for (const models::Sequences& batch : work.batches) {
      decoding::TranslationStepper stepper(*work.model, batch);
      outputs.push_back(searched(stepper, 1, work.constraints));
    }
    write_record(work, outputs, flags.record);
  }
  return {search_row("translate_greedy", work, 1),
          search_row("translate_beam_4", work, kBeamWidth)};
}

Benchmark translate() {
  const auto flags = std::make_shared<TranslateFlags>();
  return {.name = "translate",
          .summary = "greedy and beam search through the small Transformer, or a model of yours",
          .run = [flags] { return translate_rows(*flags); },
          .declare =
              [flags](CommandLine& line) {
                line.add("--model", flags->model, "model folder, instead of random weights")
                    .kind("DIR");
                line.add("--input", flags->input, "text to translate with it").kind("FILE");
                line.add("--record", flags->record,
                         "write weights, sentences and greedy outputs as safetensors")
                    .kind("FILE");
              }};
}

const ListedBenchmark kListed(translate());

}  // namespace
}  // namespace heed::cli
