// SPDX-License-Identifier: Apache-2.0
// A model's config.json as importers ask it: a key with its default, and what a key must not say.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/json.h"

namespace heed::pipeline {

class ForeignConfig {
 public:
  // DataError that names the file for one that is missing, too large or no JSON object.
  explicit ForeignConfig(const std::filesystem::path& path);

  // A size: 1 to 2^24.
  std::int64_t size(std::string_view key, std::optional<std::int64_t> otherwise = {}) const;
  // The number of a token, or the first of a list; nothing where it is missing or null.
  std::optional<std::int64_t> token(std::string_view key) const;
  double number(std::string_view key, double otherwise) const;
  bool truth(std::string_view key, bool otherwise) const;
  std::string text(std::string_view key, const std::string& otherwise) const;
  std::optional<JsonPlace> find(std::string_view key) const { return root().find(key); }
  JsonPlace root() const { return {json_, path_}; }

  // DataError that names key and value, and says what is taken, unless the key says this or is
  // missing.
  void require(std::string_view key, bool wanted, std::string_view why) const;
  void require_text(std::string_view key, std::string_view wanted, std::string_view why) const;
  // The activation of that key as Heed calls it: gelu, gelu_tanh, swish, relu, tanh.
  std::string activation(std::string_view key, const std::string& otherwise) const;
  // The names of classes by their numbers (id2label); without the key LABEL_0 and on, as many as
  // num_labels says. A name that comes again has its number behind it. DataError for fewer than
  // two, for a number that is missing and for a name that no file of labels can hold.
  std::vector<std::string> labels() const;
  // architectures[0].
  std::string architecture() const;

 private:
  Json json_;
  std::string path_;
};

}  // namespace heed::pipeline
