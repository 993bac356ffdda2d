// SPDX-License-Identifier: Apache-2.0
// Tiny models of tests/golden/hf as folders to import: a vocabulary of made-up pieces is put beside
// them, and what their own program computed is read by its original numbers.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "heed/attention/observer.h"
#include "heed/base/file.h"
#include "heed/base/json.h"
#include "heed/base/safetensors.h"
#include "heed/base/testing.h"
#include "heed/pipeline/foreign/import_model.h"
#include "heed/text/tokeniser.h"

namespace heed::pipeline::testing {

namespace fs = std::filesystem;

inline constexpr int kTinyPieces = 48;

// "p7", or the special token of that number.
inline std::string tiny_piece(int number, const std::map<int, std::string>& special) {
  const auto found = special.find(number);
  return found == special.end() ? fmt::format("p{}", number) : found->second;
}

// A tokenizer.json of so many pieces, words all of them; `begin` and `end` frame a text.
inline std::string tiny_vocabulary(const std::map<int, std::string>& special,
                                   const std::string& begin = "", const std::string& end = "") {
  Json::Object vocabulary;
  Json::List added;
  std::string unknown = tiny_piece(kTinyPieces - 1, special);
  for (int number = 0; number < kTinyPieces; ++number) {
    vocabulary.emplace_back(tiny_piece(number, special), Json(number));
  }
  for (const auto& [number, content] : special) {
    added.push_back(Json::Object{{"id", number}, {"content", content}, {"special", true}});
    if (content == "[UNK]" || content == "<unk>") unknown = content;
  }
  const auto token = [](const std::string& content) {
    return Json(Json::Object{{"SpecialToken", Json::Object{{"id", content}, {"type_id", 0}}}});
  };
  Json::List single;
  if (!begin.empty()) single.push_back(token(begin));
  single.push_back(Json::Object{{"Sequence", Json::Object{{"id", "A"}, {"type_id", 0}}}});
  if (!end.empty()) single.push_back(token(end));
  return Json(Json::Object{{"added_tokens", std::move(added)},
                           {"normalizer", Json()},
                           {"pre_tokenizer", Json::Object{{"type", "WhitespaceSplit"}}},
                           {"post_processor", Json::Object{{"type", "TemplateProcessing"},
                                                           {"single", std::move(single)}}},
                           {"decoder", Json::Object{{"type", "WordPiece"}, {"prefix", "##"}}},
                           {"model", Json::Object{{"type", "WordPiece"},
                                                  {"unk_token", unknown},
                                                  {"vocab", std::move(vocabulary)}}}})
      .text();
}

inline fs::path golden_model(const std::string& name) {
  return fs::path(HEED_SOURCE_DIR) / "tests/golden/hf" / name;
}

// A copy of a tiny model with that vocabulary, without what its program computed.
inline void copy_tiny(const std::string& name, const fs::path& to, const std::string& tokenizer) {
  fs::create_directories(to);
  for (const auto& entry : fs::directory_iterator(golden_model(name))) {
    if (entry.path().filename() != "expected.safetensors") {
      fs::copy_file(entry.path(), to / entry.path().filename());
    }
  }
  write_atomically(to / "tokenizer.json", tokenizer);
}

// What the model's own program was given and computed.
class Expected {
 public:
  explicit Expected(const std::string& name) : file_(golden_model(name) / "expected.safetensors") {}

  bool has(const std::string& name) const { return file_.find(name) != nullptr; }
  std::vector<std::size_t> shape(const std::string& name) const { return file_.at(name).shape; }
  std::vector<Real> values(const std::string& name) const {
    return file_.read<Real>(file_.at(name));
  }
  std::vector<std::int32_t> numbers(const std::string& name) const {
    return file_.read<std::int32_t>(file_.at(name));
  }

 private:
  SafetensorsFile file_;
};

// The tokens of original numbers.
inline std::map<int, text::Token> tokens_of(const text::Tokeniser& tokeniser) {
  std::map<int, text::Token> tokens;
  for (text::Token token = 0; token < tokeniser.size(); ++token) {
    if (tokeniser.original(token) >= 0) tokens[tokeniser.original(token)] = token;
  }
  return tokens;
}

// Keeps the weights and states of every layer, by the set of the site.
struct Watcher final : attention::Observer {
  std::map<std::string, std::vector<Tensor>> weights_of{};
  std::map<std::string, std::vector<Tensor>> states_of{};

  void attended(const attention::ObservedAttention& observed) override {
    weights_of[std::string(observed.site.set)].push_back(observed.weights);
  }
  bool wants_states() const override { return true; }
  Variable states(const attention::Site& site, const Variable& states) override {
    states_of[std::string(site.set)].push_back(states.value());
    return states;
  }
};

inline constexpr double kClose = 1e-4;

// Weights of all layers against [L,B,H,Q,K]; rows and columns beyond the lengths do not count.
inline void expect_weights(const std::vector<Tensor>& found, const Expected& expected,
                           const std::string& name, const std::vector<std::int32_t>& query_lengths,
                           const std::vector<std::int32_t>& key_lengths) {
  const std::vector<std::size_t> shape = expected.shape(name);
  ASSERT_EQ(shape.size(), 5u);
  const std::vector<Real> wanted = expected.values(name);
  ASSERT_EQ(found.size(), shape[0]) << name;
  double worst = 0;
  for (std::size_t l = 0; l < shape[0]; ++l) {
    for (std::size_t b = 0; b < shape[1]; ++b) {
      for (std::size_t h = 0; h < shape[2]; ++h) {
        for (std::size_t q = 0; q < static_cast<std::size_t>(query_lengths[b]); ++q) {
          for (std::size_t k = 0; k < static_cast<std::size_t>(key_lengths[b]); ++k) {
            const std::size_t at =
                (((l * shape[1] + b) * shape[2] + h) * shape[3] + q) * shape[4] + k;
            const Real weight = attention::share_of(
                found[l].at({static_cast<std::int64_t>(b), static_cast<std::int64_t>(h),
                             static_cast<std::int64_t>(q), static_cast<std::int64_t>(k)}));
            worst = std::max(worst, std::abs(static_cast<double>(weight) - wanted[at]));
          }
        }
      }
    }
  }
  EXPECT_LE(worst, kClose) << name;
}

}  // namespace heed::pipeline::testing
