// SPDX-License-Identifier: Apache-2.0
// From files of a class to the parts of a tokenizer.json.
#include "heed/text/foreign/vocabulary_files.h"

#include <utility>

#include "heed/base/base64.h"
#include "heed/base/text.h"
#include "heed/text/subword_model.h"

namespace heed::text {
namespace {

constexpr const char* kWordMark = "\u2581";

void require_utf8_file(std::string_view bytes, const std::string& name) {
  const std::size_t bad = invalid_utf8(bytes);
  if (bad == std::string_view::npos) return;
  throw DataError("{}: byte {} (0x{:02X}) is not UTF-8; give the file as it was published", name,
                  bad + 1, static_cast<unsigned char>(bytes[bad]));
}

// The lines of a file; what is behind the last end of line counts where there is something.
std::vector<std::string_view> file_lines(std::string_view bytes) {
  std::vector<std::string_view> lines = split(bytes, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  for (std::string_view& line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  return lines;
}

Json typed(const char* type, Json::Object members = {}) {
  members.insert(members.begin(), {"type", type});
  return members;
}

// An added token of the content, where it is a piece.
void add_special(Json::List& list, const Json::Object& vocabulary, const char* content,
                 bool takes_before = false) {
  for (const auto& [piece, number] : vocabulary) {
    if (piece != content) continue;
    list.push_back(Json::Object{
        {"id", number}, {"content", content}, {"special", true}, {"lstrip", takes_before}});
  }
}

Json::Object numbered_pieces(std::string_view vocabulary, const std::string& name) {
  require_utf8_file(vocabulary, name);
  const Json json = Json::parse(vocabulary, name);
  const JsonPlace place(json, name);
  for (const auto& [piece, number] : place.object()) {
    JsonPlace(number, fmt::format("{}: \"{}\"", name, piece)).whole(0, 1 << 30);
  }
  return place.object();
}

Json marked_decoder(bool first_space) {
  return typed("Metaspace",
               {{"replacement", kWordMark}, {"prepend_scheme", first_space ? "never" : "always"}});
}

Json normaliser_of(const SubwordModel& model) {
  Json::Object normaliser = {{"add_dummy_prefix", model.add_dummy_prefix},
                             {"remove_extra_whitespaces", model.remove_extra_whitespaces}};
  if (!model.character_map.empty()) {
    normaliser.emplace_back("character_map", base64_encode(model.character_map));
  }
  return typed("SentencePiece", std::move(normaliser));
}

SubwordModel checked_subwords(std::string_view bytes, const std::string& name) {
  SubwordModel model = read_subword_model(bytes, name);
  for (const SubwordPiece& piece : model.pieces) {
    if (piece.type == SubwordPiece::Type::user) {
      throw DataError(
          "{}: piece \"{}\" is user-defined, which Heed does not read; give the folder's "
          "tokenizer.json",
          name, piece.text);
    }
    if (invalid_utf8(piece.text) != std::string_view::npos) {
      throw DataError("{}: a piece is not UTF-8; give the file as it was published", name);
    }
  }
  return model;
}

Json::Object framed(Json normaliser, Json cuts, Json model, Json decoder, Json::List added) {
  return {{"normalizer", std::move(normaliser)},
          {"pre_tokenizer", std::move(cuts)},
          {"model", std::move(model)},
          {"decoder", std::move(decoder)},
          {"added_tokens", std::move(added)}};
}

}  // namespace

Json parts_of_lines(std::string_view vocabulary, const std::string& name, bool lower_case) {
  require_utf8_file(vocabulary, name);
  Json::Object pieces;
  for (const std::string_view line : file_lines(vocabulary)) {
    if (line.empty()) {
      throw DataError("{}:{}: a line without a piece; give the file as it was published", name,
                      pieces.size() + 1);
    }
    pieces.emplace_back(std::string(line), Json(static_cast<std::int64_t>(pieces.size())));
  }
  Json::List added;
  for (const char* content : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) {
    add_special(added, pieces, content);
  }
  Json::Object model = {{"unk_token", "[UNK]"},
                        {"continuing_subword_prefix", "##"},
                        {"max_input_chars_per_word", 100},
                        {"vocab", std::move(pieces)}};
  return framed(typed("BertNormalizer", {{"lowercase", lower_case}}), typed("BertPreTokenizer"),
                typed("WordPiece", std::move(model)),
                typed("WordPiece", {{"prefix", "##"}, {"cleanup", true}}), std::move(added));
}

Json parts_of_merges(std::string_view vocabulary, const std::string& name, std::string_view merges,
                     const std::string& merges_name, bool space_in_front) {
  Json::Object pieces = numbered_pieces(vocabulary, name);
  require_utf8_file(merges, merges_name);
  Json::List pairs;
  std::size_t number = 0;
  for (const std::string_view line : file_lines(merges)) {
    ++number;
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
    const std::size_t space = line.find(' ');
    if (space == line.npos || space == 0 || space + 1 == line.size() ||
        line.find(' ', space + 1) != line.npos) {
      throw DataError("{}:{}: \"{}\"; a line takes two pieces with a space between them",
                      merges_name, number, shorten(line, 40));
    }
    pairs.emplace_back(std::string(line));
  }
  Json::List added;
  for (const char* content : {"<s>", "<pad>", "</s>", "<unk>", "<|endoftext|>"}) {
    add_special(added, pieces, content);
  }
  add_special(added, pieces, "<mask>", true);
  Json::Object model = {{"vocab", std::move(pieces)}, {"merges", std::move(pairs)}};
  return framed(Json(),
                typed("ByteLevel", {{"add_prefix_space", space_in_front}, {"use_regex", true}}),
                typed("BPE", std::move(model)), typed("ByteLevel"), std::move(added));
}

Json parts_of_subwords(std::string_view bytes, const std::string& name) {
  const SubwordModel model = checked_subwords(bytes, name);
  using Type = SubwordPiece::Type;
  Json::List added;
  std::int64_t unknown = -1;
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    const SubwordPiece& piece = model.pieces[i];
    const auto number = static_cast<std::int64_t>(i);
    if (piece.type == Type::unknown) unknown = number;
    if (piece.type == Type::unknown || piece.type == Type::control) {
      added.push_back(Json::Object{{"id", number}, {"content", piece.text}, {"special", true}});
    }
  }
  if (unknown < 0) throw DataError("{}: no piece is the unknown one; one must be", name);
  Json::Object parts;
  if (model.kind == TokeniserKind::bpe) {
    Json::Object pieces;
    Json::List scores;
    for (std::size_t i = 0; i < model.pieces.size(); ++i) {
      const SubwordPiece& piece = model.pieces[i];
      pieces.emplace_back(piece.text, Json(static_cast<std::int64_t>(i)));
      scores.push_back(piece.type == Type::normal ? Json(static_cast<double>(piece.score))
                                                  : Json());
    }
    parts = {{"unk_token", model.pieces[static_cast<std::size_t>(unknown)].text},
             {"byte_fallback", model.byte_fallback},
             {"fuse_unk", true},
             {"vocab", std::move(pieces)},
             {"scores", std::move(scores)}};
  } else {
    Json::List pieces;
    for (const SubwordPiece& piece : model.pieces) {
      pieces.push_back(Json::List{piece.text, static_cast<double>(piece.score)});
    }
    parts = {
        {"unk_id", unknown}, {"byte_fallback", model.byte_fallback}, {"vocab", std::move(pieces)}};
  }
  return framed(normaliser_of(model), Json(),
                typed(model.kind == TokeniserKind::bpe ? "BPE" : "Unigram", std::move(parts)),
                marked_decoder(!model.add_dummy_prefix), std::move(added));
}

Json parts_of_subwords(std::string_view bytes, const std::string& name, std::string_view numbers,
                       const std::string& numbers_name) {
  const SubwordModel model = checked_subwords(bytes, name);
  if (model.kind != TokeniserKind::unigram) {
    throw DataError("{}: a model of kind bpe; with a vocab.json beside it it takes unigram", name);
  }
  Json::Object pieces = numbered_pieces(numbers, numbers_name);
  Json::List added;
  for (const char* content : {"</s>", "<unk>", "<pad>"}) {
    add_special(added, pieces, content);
  }
  std::int64_t unknown = -1;
  for (const auto& [piece, number] : pieces) {
    if (piece == "<unk>") unknown = std::get<std::int64_t>(number.value);
  }
  if (unknown < 0) {
    throw DataError("{}: \"<unk>\" is missing, which stands for pieces without a number",
                    numbers_name);
  }
  Json::List scored;
  for (const SubwordPiece& piece : model.pieces) {
    if (piece.type != SubwordPiece::Type::normal) continue;
    scored.push_back(Json::List{piece.text, static_cast<double>(piece.score)});
  }
  Json::Object parts = {
      {"unk_id", unknown}, {"vocab", std::move(scored)}, {"numbers", std::move(pieces)}};
  Json::Object made = framed(normaliser_of(model), Json(), typed("Unigram", std::move(parts)),
                             marked_decoder(false), std::move(added));
  made.emplace_back("language_codes", true);
  return made;
}

TextFrame text_frame(const JsonPlace& tokenizer) {
  TextFrame frame;
  const auto processor = tokenizer.find("post_processor");
  if (!processor) return frame;
  const std::string& type = processor->at("type").text();
  if (type == "ByteLevel") return frame;
  if (type == "Sequence") {
    const JsonPlace parts = processor->at("processors");
    for (std::size_t i = 0; i < parts.list().size(); ++i) {
      const Json::Object one = {{"post_processor", parts.at(i).value()}};
      const Json json(one);
      TextFrame found = text_frame(JsonPlace(json, parts.place()));
      if (!found.begin.empty()) frame.begin = std::move(found.begin);
      if (!found.end.empty()) frame.end = std::move(found.end);
    }
    return frame;
  }
  if (type == "BertProcessing" || type == "RobertaProcessing") {
    return {processor->at("cls").at(0).text(), processor->at("sep").at(0).text()};
  }
  if (type != "TemplateProcessing") {
    processor->fail(
        "a post_processor \"{}\"; Heed knows TemplateProcessing, BertProcessing, "
        "RobertaProcessing, ByteLevel and Sequence",
        type);
  }
  const JsonPlace single = processor->at("single");
  bool behind = false;
  for (std::size_t i = 0; i < single.list().size(); ++i) {
    const JsonPlace part = single.at(i);
    if (part.find("Sequence")) {
      behind = true;
      continue;
    }
    std::string& side = behind ? frame.end : frame.begin;
    if (!side.empty()) part.fail("a second special token on one side of a text; it takes one");
    side = part.at("SpecialToken").at("id").text();
  }
  return frame;
}

}  // namespace heed::text
