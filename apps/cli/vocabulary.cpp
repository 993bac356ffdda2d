// SPDX-License-Identifier: Apache-2.0
// `heed vocabulary`: learn a tokeniser from text, look into one, or run text
// through it.
#include <fmt/format.h>

#include <memory>

#include "cli/output_files.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/text/lines.h"
#include "heed/text/sample_lines.h"
#include "heed/text/tokeniser.h"

namespace heed::cli {
namespace {

struct VocabularyVerb {
  std::vector<std::string> learn;
  std::string out;
  std::string tokeniser;
  std::string encode;
  std::string decode;
  std::int64_t list_pieces = 0;
  std::int64_t sample = 200'000;
  std::uint64_t seed = 1;
  text::TokeniserOptions options;
  OutputFiles files;
  Options list;

  VocabularyVerb() {
    list.add("learn", learn, "text files (or gz) to learn a vocabulary from");
    list.add("out", out, "the file it goes to").letter('o').kind("FILE");
    list.add("kind", options.kind, text::tokeniser_names(), "what a token is");
    list.add("size", options.size, "tokens at most").range(5, 10'000'000);
    list.add("lower-case", options.lower_case, "words, characters, spaced, bytes: fold case");
    list.add("least-count", options.least_count,
             "words, characters, spaced: rarer ones are out of vocabulary")
        .at_least(1);
    list.add("coverage", options.coverage, "bpe, unigram: share of characters that get a piece")
        .above(0)
        .at_most(1);
    list.add("sample", sample, "lines to learn from, drawn by the seed; 0: all").at_least(0);
    list.add("seed", seed, "of the sample");
    list.add("tokeniser", tokeniser, "a vocabulary to look at or to use");
    list.add("list", list_pieces, "print this many of its pieces").at_least(0);
    list.add("encode", encode, "text file to split into pieces; -: standard input");
    list.add("decode", decode, "file of pieces to join again; -: standard input");
    files.declare(list);
  }
};

void learn(VocabularyVerb& verb) {
  if (verb.out.empty()) throw UsageError("--out: say which file the vocabulary goes to");
  verb.files.reads(verb.learn);
  verb.files.check(verb.out);
  const std::vector<std::filesystem::path> files(verb.learn.begin(), verb.learn.end());
  const std::vector<std::string> lines =
      text::sample_lines(files, {static_cast<std::size_t>(verb.sample), verb.seed});
  const auto made = text::train_tokeniser(verb.options, lines);
  made->save(verb.out);
  const bool subwords = verb.options.kind == text::TokeniserKind::bpe ||
                        verb.options.kind == text::TokeniserKind::unigram;
  fmt::print("{} pieces, {}learnt from {} lines, are in {}\n", made->size(),
             subwords && made->size() < verb.options.size ? "all that this text gives, " : "",
             lines.size(), verb.out);
}

void encode(const text::Tokeniser& tokeniser, const std::string& file) {
  text::LineReader reader(file);
  for (std::string line; reader.next(line);) {
    std::vector<std::string> pieces;
    for (const text::Token token : tokeniser.encode(line).tokens) {
      pieces.push_back(tokeniser.piece(token));
    }
    fmt::print("{}\n", join(pieces, " "));
  }
}

void decode(const text::Tokeniser& tokeniser, const std::string& file) {
  text::LineReader reader(file);
  for (std::string line; reader.next(line);) {
    text::Tokens tokens;
    for (const std::string_view piece : split(line, ' ')) {
      if (!piece.empty()) tokens.push_back(tokeniser.find(piece));
    }
    fmt::print("{}\n", tokeniser.decode(tokens).text);
  }
}

void run(VocabularyVerb& verb) {
  if (!verb.learn.empty()) return learn(verb);
  if (verb.tokeniser.empty()) {
    throw UsageError(
        "give --learn with text files to make a vocabulary, or "
        "--tokeniser to use one");
  }
  const auto tokeniser = text::load_tokeniser(verb.tokeniser);
  if (!verb.encode.empty()) return encode(*tokeniser, verb.encode);
  if (!verb.decode.empty()) return decode(*tokeniser, verb.decode);
  fmt::print("{} pieces\n", tokeniser->size());
  const auto count = std::min<std::int64_t>(verb.list_pieces, tokeniser->size());
  for (text::Token token = 0; token < count; ++token) {
    fmt::print("{:>8}  {}\n", token, tokeniser->piece(token));
  }
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<VocabularyVerb>();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "vocabulary",
     .summary = "Learn a vocabulary from text, list it, or split text into its pieces",
     .description = "",
     .example = "heed vocabulary --learn data/train.en --kind bpe --size 4000 "
                "--out en.tokeniser\n"
                "echo \"the cats sleep\" | heed vocabulary --tokeniser "
                "en.tokeniser --encode -",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
