// SPDX-License-Identifier: Apache-2.0
// From lines to tokens, batches, searches and back to lines in their order.
#include "heed/pipeline/translate/translator.h"

#include <algorithm>
#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/decoding/search.h"
#include "heed/decoding/translation_stepper.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/probability.h"
#include "heed/pipeline/surface.h"
#include "heed/pipeline/text_bounds.h"
#include "heed/pipeline/translate/translation_choices.h"
#include "heed/pipeline/translate/translation_options.h"
#include "heed/pipeline/translate/translation_parts.h"
#include "heed/pipeline/translate/translation_trace.h"
#include "heed/text/batch_plan.h"
#include "heed/text/copying.h"
#include "heed/text/documents.h"
#include "heed/text/white_space.h"

namespace heed::pipeline {
namespace {

struct Loaded {
  Vocabularies vocabularies;
  Reading reading{};
  std::int64_t longest = 0;
  decoding::LengthPenalty length{};
  std::shared_ptr<models::EncoderDecoder> model{};
};

// Weights of one text that are put together from its parts, of all layers and heads: 1 GiB.
constexpr double kMostJoinedCells = 1 << 28;

Loaded load(const std::filesystem::path& path) {
  const ModelFolder folder{path};
  folder.check("translate");
  TranslationOptions options;
  folder.read_config(options.list);
  Loaded loaded{load_vocabularies(folder, options), options.model.reading(), folder.longest(),
                kept_length(path)};
  Random random(0);
  loaded.model =
      folder.made([&] { return make_model(options.model, loaded.vocabularies.sizes(), random); });
  nn::Parameters parameters = nn::parameters(*loaded.model);
  folder.load_weights(parameters);
  return loaded;
}

bool equal(const text::Tokeniser& a, const text::Tokeniser& b) {
  if (a.size() != b.size()) return false;
  for (text::Token token = 0; token < a.size(); ++token) {
    if (a.piece(token) != b.piece(token)) return false;
  }
  return true;
}

text::Tokens with_end(text::Tokens tokens) {
  tokens.push_back(text::kEnd);
  return tokens;
}

bool is_blank(std::string_view line) {
  return text::words_of(line).empty();
}

// What the encoders left for one sentence of a batch.
std::vector<decoding::AttentionPath> encoder_paths(const attention::Trace& trace, std::int64_t row,
                                                   std::int64_t length) {
  std::vector<decoding::AttentionPath> paths;
  for (const decoding::AttentionPath& path : decoding::paths_of(trace, row)) {
    // The keys of other attentions are those of the sentences before.
    const bool self = path.site.role == attention::Role::self;
    paths.push_back(decoding::cut(path, length, self ? length : path.weights.size(2)));
  }
  return paths;
}

// The sentences before this row of a batch, the nearest first.
std::vector<std::vector<std::string>> sentences_before(const text::TokenRows& sentences,
                                                       const text::ContextRows& before,
                                                       std::size_t row,
                                                       const text::Tokeniser& tokeniser) {
  std::vector<std::vector<std::string>> all;
  const auto most = static_cast<std::size_t>(before.sentences);
  for (std::size_t k = 0; k < most; ++k) {
    const std::int32_t place = before.rows[row * most + k];
    if (place < 0) break;
    const std::span<const text::Token> ids(sentences.ids);
    all.push_back(pieces_of(
        tokeniser,
        ids.subspan(static_cast<std::size_t>(place) * static_cast<std::size_t>(sentences.width),
                    static_cast<std::size_t>(sentences.lengths[static_cast<std::size_t>(place)]))));
  }
  return all;
}

}  // namespace

// A line, and what has become of it.
struct Translator::Line {
  std::string text{};
  text::Encoding source{};
  text::CopiedSource copied{};
  std::uint64_t document = 0;  // 0: it is between documents
  std::size_t nth = 0;         // of its document
  std::uint64_t stream = 0;    // of its random numbers
  text::Tokens written{};      // its best translation, its end included
  Translations translations{};
};

const std::vector<std::string>& split_names() {
  static const std::vector<std::string> names = {"auto", "always", "never"};
  return names;
}

Translator::Translator(const std::filesystem::path& folder)
    : Translator(std::span<const std::filesystem::path>(&folder, 1)) {}

Translator::Translator(std::span<const std::filesystem::path> folders) {
  if (folders.empty()) throw UsageError("translator: no model folder; give one or more");
  double alike = 0;  // folders whose penalty is that of the first, but for alpha
  for (const std::filesystem::path& folder : folders) {
    Loaded loaded = load(folder);
    if (models_.empty()) length_penalty_ = {.scale = loaded.length.scale, .alpha = 0};
    if (loaded.length.scale == length_penalty_.scale) {
      length_penalty_.alpha += (loaded.length.alpha - length_penalty_.alpha) / ++alike;
    }
    if (models_.empty()) {
      vocabularies_ = loaded.vocabularies;
      reading_ = loaded.reading;
    } else if (loaded.reading != reading_) {
      throw UsageError(
          "{} and {} differ in copying, or in the sentences before that they read; models that "
          "vote must be alike in both",
          folders.front().string(), folder.string());
    } else if (!equal(*vocabularies_.source, *loaded.vocabularies.source) ||
               !equal(*vocabularies_.target, *loaded.vocabularies.target)) {
      throw UsageError(
          "{} and {} have different vocabularies; models that vote take the same (train the second "
          "with --source-vocabulary and --target-vocabulary of the first)",
          folders.front().string(), folder.string());
    }
    models_.push_back(std::move(loaded.model));
    const bool shorter = trained_longest_ == 0 || loaded.longest < trained_longest_;
    if (loaded.longest > 0 && shorter) trained_longest_ = loaded.longest;
  }
  copier_ = make_copier(vocabularies_, reading_);
}

Translator::Translator(Vocabularies vocabularies, std::shared_ptr<models::EncoderDecoder> model,
                       const Reading& reading)
    : vocabularies_(std::move(vocabularies)),
      reading_(reading),
      copier_(make_copier(vocabularies_, reading_)),
      models_{std::move(model)} {}

std::int64_t Translator::parameter_count() const {
  std::int64_t count = 0;
  for (const auto& model : models_) count += nn::parameter_count(nn::parameters(*model));
  return count;
}

Translation Translator::translate(std::string_view line, const TranslateOptions& options) const {
  const std::string one(line);
  return std::move(translate(std::span(&one, 1), options).front().front());
}

std::vector<Translations> Translator::translate(
    std::span<const std::string> lines, const TranslateOptions& options,
    const std::function<void(std::size_t done)>& done) const {
  const NoGradient values_only;
  if (!options.prefixes.empty() && options.prefixes.size() != lines.size()) {
    throw UsageError("{} prefixes for {} lines; give one for each, or none",
                     options.prefixes.size(), lines.size());
  }
  std::vector<Line> read = read_lines(lines, options);
  const std::vector<std::vector<TextPart>> parts = parts_of_lines(read, options);
  const bool whole = std::ranges::all_of(parts, [](const auto& one) { return one.empty(); });
  return whole ? translate_lines(std::move(read), options, done)
               : translate_parts(read, parts, options, done);
}

std::vector<std::vector<TextPart>> Translator::parts_of_lines(
    std::span<const Line> lines, const TranslateOptions& options) const {
  std::int64_t most = longest_read(options.longest, trained_longest_);
  if (options.split != Split::never) {
    for (const auto& model : models_) {
      if (model->longest() > 0) most = std::min(most, model->longest() - 1);  // with its end
    }
  }
  const std::int64_t known = trained_longest_ > 0 ? std::min(trained_longest_, most) : most;
  std::vector<std::vector<TextPart>> parts(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    const auto length = static_cast<std::int64_t>(line.source.tokens.size());
    const bool splits =
        options.split == Split::always || (options.split == Split::automatic && length > known);
    if (splits && !reads_documents()) {
      // A sentence may be a little longer than all that were seen; one that is cut is cut short.
      parts[i] = parts_of(line.text, *vocabularies_.source, length > most ? known : most);
      if (parts[i].size() == 1) parts[i].clear();
    }
    const auto refuse = [&](std::string problem) {
      throw BadText("line", std::max<std::uint64_t>(options.first_line, 1) + i, i,
                    std::move(problem));
    };
    for (const auto& model : models_) {
      const PositionLimit room{.places = model->longest()};
      const text::Tokens tokens = with_end(line.source.tokens);
      if (!parts[i].empty() || room.holds(tokens)) continue;
      refuse(fmt::format("{}; {}", room.shortage(tokens), kReadingRemedy));
    }
    if (parts[i].empty() && length > most) {
      refuse(too_many_tokens(line.source.tokens.size(), most,
                             "shorten it, let it be split into sentences (--split), or raise "
                             "--longest-text"));
    }
  }
  return parts;
}

std::vector<Translations> Translator::translate_parts(
    std::span<const Line> lines, std::span<const std::vector<TextPart>> parts,
    const TranslateOptions& options, const std::function<void(std::size_t done)>& done) const {
  std::vector<std::string> texts;
  std::vector<std::size_t> begins;  // of each line in them
  TranslateOptions inner = options;
  inner.prefixes.clear();
  inner.split = Split::never;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    begins.push_back(texts.size());
    const std::size_t count = std::max<std::size_t>(parts[i].size(), 1);
    for (std::size_t part = 0; part < count; ++part) {
      texts.push_back(parts[i].empty() ? lines[i].text : parts[i][part].text);
      if (options.prefixes.empty()) continue;
      inner.prefixes.push_back(part == 0 ? options.prefixes[i] : "");  // how the whole begins
    }
  }
  begins.push_back(texts.size());
  std::vector<Line> read = read_lines(texts, inner);
  try {
    parts_of_lines(read, inner);
  } catch (const BadText& bad) {  // what cannot be cut
    const auto line = std::ranges::upper_bound(begins, bad.index()) - begins.begin() - 1;
    const auto place = static_cast<std::size_t>(line);
    throw BadText("line", std::max<std::uint64_t>(options.first_line, 1) + place, place,
                  bad.problem());
  }
  // Of sampling: a line's first part draws what the line would have drawn.
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::size_t at = begins[i]; at < begins[i + 1]; ++at) {
      constexpr int kPartBits = 40;  // above the numbers of lines
      read[at].stream = options.first_line + i + ((at - begins[i]) << kPartBits);
    }
  }
  const auto lines_done = [&](std::size_t ready) {
    if (done) done(ready * lines.size() / texts.size());
  };
  std::vector<Translations> found = translate_lines(std::move(read), inner, lines_done);
  std::vector<Translations> all;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (parts[i].empty()) {
      all.push_back(std::move(found[begins[i]]));
      continue;
    }
    std::size_t ranks = found[begins[i]].size();
    for (std::size_t at = begins[i]; at < begins[i + 1]; ++at) {
      ranks = std::min(ranks, found[at].size());
    }
    Translations& mine = all.emplace_back();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      std::vector<Translation> of_parts;
      for (std::size_t at = begins[i]; at < begins[i + 1]; ++at) {
        of_parts.push_back(std::move(found[at][rank]));
      }
      if (joined_cells(of_parts) > kMostJoinedCells) {
        throw BadText("line", std::max<std::uint64_t>(options.first_line, 1) + i, i,
                      fmt::format("the text has {} tokens, and the attention of so long a text is "
                                  "not put together from its sentences; put these on lines of "
                                  "their own, or ask for no attention",
                                  lines[i].source.tokens.size()));
      }
      mine.push_back(joined(parts[i], of_parts, lines[i].text));
    }
  }
  return all;
}

std::vector<Translations> Translator::translate_lines(
    std::vector<Line> read, const TranslateOptions& options,
    const std::function<void(std::size_t done)>& done) const {
  std::size_t ready = 0;
  // Where the translations before are read, the first sentences of all documents come first.
  std::size_t rounds = 1;
  for (const Line& line : read) {
    if (reading_.written_context) rounds = std::max(rounds, line.nth + 1);
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    std::vector<text::Tokens> tokens;
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < read.size(); ++place) {
      const Line& line = read[place];
      if (line.document == 0 || (rounds > 1 && line.nth != round)) continue;
      places.push_back(place);
      tokens.push_back(line.source.tokens);
    }
    for (text::LineBatch& batch : text::line_batches(tokens, options.batch)) {
      for (std::size_t& place : batch.places) place = places[place];
      translate_batch(batch, options, read);
      ready += batch.places.size();
      if (done) done(ready);
    }
  }
  std::vector<Translations> all;
  for (Line& line : read) {
    if (line.document == 0) line.translations.emplace_back();
    all.push_back(std::move(line.translations));
  }
  return all;
}

std::vector<Translator::Line> Translator::read_lines(std::span<const std::string> lines,
                                                     const TranslateOptions& options) const {
  std::vector<Line> read;
  std::uint64_t document = 0;
  std::size_t nth = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (std::string problem = text_problem(lines[i]); !problem.empty()) {
      throw BadText("line", std::max<std::uint64_t>(options.first_line, 1) + i, i,
                    std::move(problem));
    }
    Line& line = read.emplace_back();
    line.stream = options.first_line + i;
    text::Encoding source = vocabularies_.source->encode(lines[i]);
    if (source.tokens.empty()) {  // white space, or what is normalised away
      document = 0;
      continue;
    }
    if (document == 0) {
      document = i + 1;
      nth = 0;
    }
    line.document = document;
    line.nth = nth++;
    line.text = lines[i];
    line.source = std::move(source);
    if (copier_) line.copied = copier_->source(line.source);
  }
  return read;
}

text::PairBatch Translator::rows_of(const text::LineBatch& batch,
                                    std::span<const Line> lines) const {
  text::PairBatch rows{.source = batch.rows};
  if (copier_) {
    std::vector<text::Tokens> copies;
    for (const std::size_t place : batch.places) {
      copies.push_back(with_end(lines[place].copied.tokens));
    }
    rows.copies = text::pad_rows(copies);
  }
  if (reads_documents()) {
    const text::Previous before = text::previous_sentences(
        batch.places, reading_.context, [&](std::size_t place) { return lines[place].document; });
    std::vector<text::Tokens> sources;
    std::vector<text::Tokens> targets;
    for (const std::size_t place : before.places) {
      sources.push_back(with_end(lines[place].source.tokens));
      const text::Tokens& written = lines[place].written;
      targets.push_back(written.empty() ? text::Tokens{text::kEnd} : written);
    }
    rows.before = {text::pad_rows(sources), text::pad_rows(targets), reading_.context, before.rows};
  }
  return rows;
}

TracedPair Translator::traced_row(const text::PairBatch& rows, std::size_t row,
                                  const Line& line) const {
  std::vector<std::string> pieces = surface_pieces(*vocabularies_.source, line.text, line.source);
  pieces.push_back(vocabularies_.source->piece(text::kEnd));
  const std::size_t tokens = pieces.size();
  return {.source = {std::move(pieces), padded_words(line.source.words, tokens)},
          .source_before =
              sentences_before(rows.before.source, rows.before, row, *vocabularies_.source),
          .target_before =
              sentences_before(rows.before.target, rows.before, row, *vocabularies_.target),
          .title = line.text};
}

void Translator::translate_batch(const text::LineBatch& batch, const TranslateOptions& options,
                                 std::span<Line> lines) const {
  decoding::TranslationStepper::Models models;
  for (const auto& model : models_) models.push_back(model.get());
  attention::Trace encoders;
  const text::PairBatch rows = rows_of(batch, lines);
  const bool looks = options.attention || options.trace;
  decoding::TranslationStepper stepper(models, models::source_of(rows),
                                       looks ? &encoders : nullptr);
  const bool sampled = options.search == SearchKind::sample;
  const decoding::LengthPenalty length = options.beam.length.value_or(length_penalty_);
  decoding::Constraints constraints =
      sampled ? options.sampling.constraints : options.beam.constraints;
  for (const std::size_t place : batch.places) {
    if (options.prefixes.empty()) break;
    const text::Encoding prefix = vocabularies_.target->encode(options.prefixes[place]);
    constraints.prefixes.push_back(copier_ ? copier_->target(prefix, lines[place].copied)
                                           : prefix.tokens);
  }
  std::vector<std::vector<decoding::Hypothesis>> found;
  if (sampled) {
    decoding::SamplingOptions sampling = options.sampling;
    sampling.constraints = constraints;
    sampling.attentions = looks;
    // A line's own generator: the same sample whatever lines are beside it.
    std::vector<Random> randoms;
    for (const std::size_t place : batch.places) {
      randoms.emplace_back(options.seed, lines[place].stream);
    }
    found = decoding::sample(stepper, sampling, std::span(randoms));
  } else if (options.beam.width == 1 && options.beam.n_best == 1) {
    for (decoding::Hypothesis& hypothesis :
         decoding::greedy(stepper, {.constraints = constraints, .attentions = looks})) {
      hypothesis.score =
          length.score(hypothesis.log_probability,
                       static_cast<std::int64_t>(hypothesis.token_log_probabilities.size()));
      found.push_back({std::move(hypothesis)});
    }
  } else {
    decoding::BeamOptions beam = options.beam;
    beam.length = length;
    beam.constraints = constraints;
    beam.attentions = looks;
    found = decoding::beam_search(stepper, beam);
  }
  for (std::size_t row = 0; row < found.size(); ++row) {
    Line& line = lines[batch.places[row]];
    const decoding::Hypothesis& best = found[row].front();
    line.written = best.finished ? with_end(best.tokens) : best.tokens;
    for (const decoding::Hypothesis& hypothesis : found[row]) {
      Translation& one = line.translations.emplace_back(finished(
          hypothesis, line, options,
          encoder_paths(encoders, static_cast<std::int64_t>(row), batch.rows.lengths[row])));
      one.longer = trained_longest_ > 0 &&
                   static_cast<std::int64_t>(line.source.tokens.size()) > trained_longest_;
      if (!options.trace) continue;
      TracedPair pair = traced_row(rows, row, line);
      const auto words = vocabularies_.target->decode(hypothesis.tokens, line.copied.own).words;
      pair.target = {one.pieces, padded_words(words, one.pieces.size())};
      one.trace = traced(pair, one.attentions);
    }
  }
}

Translation Translator::finished(const decoding::Hypothesis& hypothesis, const Line& line,
                                 const TranslateOptions& options,
                                 std::vector<decoding::AttentionPath> encoder) const {
  const std::vector<std::string>& own = line.copied.own;
  const text::Decoding decoded = vocabularies_.target->decode(hypothesis.tokens, own);
  Translation translation{
      .text = decoded.text,
      .score = hypothesis.score,
      .log_probability = hypothesis.log_probability,
      .finished = hypothesis.finished,
      .pieces =
          pieces_of(*vocabularies_.target,
                    hypothesis.finished ? with_end(hypothesis.tokens) : hypothesis.tokens, own),
      .token_log_probabilities = hypothesis.token_log_probabilities};
  if (!options.attention && !options.trace) return translation;
  translation.source_pieces = pieces_of(*vocabularies_.source, with_end(line.source.tokens));
  translation.attentions = std::move(encoder);
  const bool looks = std::ranges::any_of(hypothesis.attentions, [](const auto& path) {
    return path.site.role == attention::Role::cross;
  });
  if (looks) {
    translation.weights = decoding::alignment_weights(hypothesis.attentions, options.heads);
    const decoding::AlignedWords words{line.source.words, decoded.words};
    translation.word_weights = decoding::word_weights(translation.weights, words);
    translation.alignment = decoding::word_links(decoding::token_links(translation.weights), words);
  }
  translation.attentions.insert(translation.attentions.end(), hypothesis.attentions.begin(),
                                hypothesis.attentions.end());
  return translation;
}

InputScore Translator::score(std::string_view source, std::string_view target) const {
  const std::string one(source);
  const std::string other(target);
  return std::move(score(std::span(&one, 1), std::span(&other, 1)).front());
}

std::vector<InputScore> Translator::score(std::span<const std::string> sources,
                                          std::span<const std::string> targets,
                                          const InputScoreOptions& options) const {
  if (sources.size() != targets.size()) {
    throw UsageError("{} sources and {} targets; give one target for each source", sources.size(),
                     targets.size());
  }
  const NoGradient values_only;
  const std::vector<Line> read = read_lines(sources, {});
  const std::int64_t most = longest_read(options.longest, trained_longest_);
  std::vector<text::TokenPair> pairs;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Line& line = read[i];
    if (line.document == 0) {
      if (is_blank(targets[i])) continue;
      throw DataError("line {} has a target and no source: \"{}\"", i + 1, targets[i]);
    }
    if (std::string problem = text_problem(targets[i]); !problem.empty()) {
      throw BadText("line", i + 1, i, std::move(problem));
    }
    const text::Encoding wanted = vocabularies_.target->encode(targets[i]);
    const std::size_t longer = std::max(line.source.tokens.size(), wanted.tokens.size());
    if (static_cast<std::int64_t>(longer) > most) {
      throw BadText("line", i + 1, i,
                    too_many_tokens(longer, most, "shorten it, or raise --longest-text"));
    }
    text::TokenPair pair{.source = with_end(line.source.tokens),
                         .target = with_end(wanted.tokens),
                         .line = i,
                         .document = line.document};
    if (copier_) {
      pair.target = with_end(copier_->target(wanted, line.copied));
      pair.copies = with_end(line.copied.tokens);
    }
    pairs.push_back(std::move(pair));
  }
  std::vector<InputScore> scores(sources.size());
  for (const text::PairBatch& rows : text::pair_batches(pairs, options.batch, reading_.context)) {
    const models::Source source = models::source_of(rows);
    const models::Sequences target = models::sequences(rows.target);
    const Ids wanted = models::packed_targets(target);
    // The mean of the models' probabilities of each token.
    std::vector<double> likely(static_cast<std::size_t>(wanted.size()), 0);
    std::vector<attention::Trace> traces(models_.size());
    for (std::size_t m = 0; m < models_.size(); ++m) {
      const models::EncoderDecoder& model = *models_[m];
      const models::Call call{.watch = options.trace ? &traces[m] : nullptr};
      const Variable logits = model.decode(model.encode(source, call), target, call).logits;
      const Tensor lost = cross_entropy(logits, wanted, {.reduction = Reduction::none}).value();
      for (std::size_t i = 0; i < likely.size(); ++i) {
        likely[i] += std::exp(-static_cast<double>(lost.data()[i]));
      }
    }
    std::size_t next = 0;
    for (std::size_t row = 0; row < rows.lines.size(); ++row) {
      const std::size_t place = rows.lines[row];
      InputScore& score = scores[place];
      const auto begin = wanted.span().begin() + static_cast<std::ptrdiff_t>(next);
      const text::Tokens tokens(begin, begin + rows.target.lengths[row]);
      score.pieces = pieces_of(*vocabularies_.target, tokens, read[place].copied.own);
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        const double mean = likely[next++] / static_cast<double>(models_.size());
        const double log_probability = std::log(require_probability(mean, "token", i + 1));
        score.log_probability += log_probability;
        score.token_log_probabilities.push_back(static_cast<float>(log_probability));
      }
      if (!options.trace) continue;
      TracedPair pair = traced_row(rows, row, read[place]);
      const text::Tokens text(tokens.begin(), tokens.end() - 1);
      pair.target = {score.pieces,
                     padded_words(vocabularies_.target->decode(text, read[place].copied.own).words,
                                  tokens.size())};
      std::vector<decoding::AttentionPath> paths;
      for (const attention::Trace& trace : traces) {
        const auto more = decoding::paths_of(trace, static_cast<std::int64_t>(row));
        paths.insert(paths.end(), more.begin(), more.end());
      }
      score.trace = traced(pair, paths);
    }
  }
  return scores;
}

}  // namespace heed::pipeline
