// SPDX-License-Identifier: Apache-2.0
// Settings by their names.
#include "heed/corpora/corpus_settings.h"

#include <fmt/format.h>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::corpora {
namespace {

std::size_t place_of(std::string_view corpus, std::span<const CorpusSetting> settings,
                     std::string_view wanted) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (settings[i].name == wanted) return i;
    names.emplace_back(settings[i].name);
  }
  if (names.empty()) {
    throw UsageError("corpus {}: \"{}\" cannot be set; it has no settings", corpus, wanted);
  }
  throw UsageError("corpus {}: no setting is called \"{}\"{}; there are {}", corpus, wanted,
                   did_you_mean(wanted, names), join(names, ", "));
}

}  // namespace

std::vector<std::int64_t> chosen_settings(std::string_view name,
                                          std::span<const CorpusSetting> settings,
                                          std::span<const std::string> given) {
  std::vector<std::int64_t> values;
  for (const CorpusSetting& setting : settings) values.push_back(setting.value);
  for (const std::string& word : given) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      throw UsageError("corpus {}: a setting is written NAME=NUMBER, not \"{}\"", name, word);
    }
    const std::size_t place = place_of(name, settings, word.substr(0, equals));
    const CorpusSetting& setting = settings[place];
    const std::int64_t value =
        parse_integer(word.substr(equals + 1), fmt::format("corpus {}: {}", name, setting.name));
    if (value < setting.least || value > setting.most) {
      throw UsageError("corpus {}: {} of {}; it goes from {} to {}", name, setting.name, value,
                       setting.least, setting.most);
    }
    values[place] = value;
  }
  return values;
}

}  // namespace heed::corpora
