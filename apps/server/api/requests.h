// SPDX-License-Identifier: Apache-2.0
// Requests as the models take them, from bodies that the table of fields has let through.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "heed/pipeline/classify/classifier.h"
#include "heed/pipeline/language/language_generator.h"
#include "heed/pipeline/translate/translator.h"

namespace heed::server {

// Which attentions an answer shall carry.
struct TraceWish {
  bool wanted = false;
  std::vector<int> layers{};  // empty: all
  std::vector<int> heads{};
};

struct TranslateRequest {
  std::string model{};
  std::vector<std::string> texts{};
  pipeline::TranslateOptions options{};
  TraceWish trace{};
};

struct GenerateRequest {
  std::string model{};
  std::string prompt{};
  pipeline::GenerateOptions options{};
  TraceWish trace{};
  bool stream = false;
};

struct ClassifyRequest {
  std::string model{};
  std::vector<text::LabelledText> texts{};
  TraceWish trace{};
};

struct ScoreRequest {
  std::string model{};
  std::vector<std::string> texts{};
  std::vector<std::string> targets{};  // of translators; empty: none given
  TraceWish trace{};
};

struct FillRequest {
  std::string model{};
  std::string text{};
  std::size_t count = 5;
  TraceWish trace{};
};

// HttpError 400 with the field for values that do not go together.
TranslateRequest translate_request(const nlohmann::json& body);
GenerateRequest generate_request(const nlohmann::json& body);
ClassifyRequest classify_request(const nlohmann::json& body);
ScoreRequest score_request(const nlohmann::json& body);
FillRequest fill_request(const nlohmann::json& body);

}  // namespace heed::server
