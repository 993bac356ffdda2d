// SPDX-License-Identifier: Apache-2.0
// Rules by the last name of a path and what is around it.
#include "heed/insight/describe/description_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "heed/base/text.h"
#include "heed/models/transformer_stack.h"

namespace heed::insight {
namespace {

std::string option(const ModelFacts& facts, const std::string& name) {
  const auto found = facts.options.find(name);
  return found == facts.options.end() ? std::string() : found->second;
}

std::string first_option(const ModelFacts& facts, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    std::string value = option(facts, name);
    if (!value.empty()) return value;
  }
  return {};
}

std::string_view last_name(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

bool has_parameter_below(const ModelFacts& facts, const std::string& path) {
  return std::ranges::any_of(facts.parameters, [&](const NamedShape& parameter) {
    return parameter.path.starts_with(path + '.');
  });
}

// Whether what lies ahead is hidden from it: decoders read from left to right.
bool reads_forward(std::string_view path, const ModelFacts& facts) {
  return path.starts_with("decoder") || facts.notes.reads_forward;
}

std::string with_mechanism(std::string note, const std::string& mechanism,
                           const ModelFacts& facts) {
  if (!mechanism.empty()) note += ": " + mechanism;
  const std::string heads = option(facts, "heads");
  if (!heads.empty()) note += fmt::format(", {} heads", heads);
  return note;
}

// "; span 34.1 120 8.2": what each head has learnt.
std::string learnt_note(const std::string& module, const ModelFacts& facts) {
  std::string note;
  for (const LearntHeads& learnt : facts.learnt) {
    if (learnt.module != module) continue;
    note += fmt::format("; {}", learnt.name);
    for (const double number : learnt.heads) {
      note += std::isnan(number) ? " -" : fmt::format(" {:.3g}", number);
    }
  }
  return note;
}

std::string attention_note(const std::string& path, const ModelFacts& facts) {
  const std::string_view name = last_name(path);
  const std::string mechanism = mechanism_at(path, facts);
  const std::string learnt = learnt_note(path, facts);
  if (name == "self" && reads_forward(path, facts)) {
    return with_mechanism("self-attention of the decoder, the future hidden", mechanism, facts) +
           learnt;
  }
  if (name == "self") {
    return with_mechanism("self-attention of the encoder, both ways", mechanism, facts) + learnt;
  }
  if (name == "cross") {
    return with_mechanism("attention of the decoder over the encoder", mechanism, facts) + learnt;
  }
  const std::string& what = facts.notes.attention;
  return (mechanism.empty() ? what : what + ": " + mechanism) + learnt;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 25> kNotes = {{
    {"feed", "feed-forward: each token by itself"},
    {"self_norm", "layer norm"},
    {"cross_norm", "layer norm"},
    {"feed_norm", "layer norm"},
    {"encoder_norm", "layer norm after the last layer"},
    {"decoder_norm", "layer norm after the last layer"},
    {"W_Q", "queries of all heads"},
    {"W_K", "keys of all heads"},
    {"W_V", "values of all heads"},
    {"W_O", "heads joined again"},
    {"w_x", "from the input to the gates"},
    {"w_h", "from the state before to the gates"},
    {"candidate_bias", "of the new state"},
    {"W1", "of the key"},
    {"W2", "of the query"},
    {"v", "from units to a score"},
    {"bridges", "from the encoder's last state to the decoder's first"},
    {"readout", "state and context to what the output reads"},
    {"projection", "to the width of the embeddings"},
    {"output_bias", "of every token"},
    {"gate", "how much of the context comes in"},
    {"query", "learnt: what to look for"},
    {"hop", "looks again, knowing more"},
    {"transform", "before the words are predicted"},
    {"filters", "convolutions of several widths"},
}};

}  // namespace

std::string mechanism_at(const std::string& module, const ModelFacts& facts) {
  const std::string_view name = last_name(module);
  if (name == "self" && reads_forward(module, facts)) {
    return first_option(facts, {"decoder-attention", "attention"});
  }
  if (name == "self") return first_option(facts, {"encoder-attention", "attention"});
  if (name == "cross") return first_option(facts, {"cross-attention", "attention"});
  return option(facts, "attention");
}

std::vector<std::string> attention_modules(const ModelFacts& facts) {
  std::vector<std::string> modules;
  for (const NamedShape& parameter : facts.parameters) {
    for (std::size_t dot = parameter.path.find('.'); dot != std::string::npos;
         dot = parameter.path.find('.', dot + 1)) {
      const std::string path = parameter.path.substr(0, dot);
      const std::string_view name = last_name(path);
      const bool attends = name == "self" || name == "cross" || name == "attention";
      if (attends && std::ranges::count(modules, path) == 0) modules.push_back(path);
    }
  }
  return modules;
}

bool keeps_keys(const std::string& module, const ModelFacts& facts) {
  return last_name(module) == "cross" || reads_forward(module, facts);
}

bool is_table(const std::string& path, const ModelFacts& facts) {
  constexpr std::array<std::string_view, 5> kTables = {"embedding", "source", "target", "words",
                                                       "positions"};
  const auto names = split(path, '.');
  if (names.size() < 2 || names.back() != "weight") return false;
  const std::string_view owner = names[names.size() - 2];
  if (std::ranges::count(kTables, owner) == 0) return false;
  if (owner == "positions") return true;
  const bool has_output = std::ranges::any_of(facts.parameters, [](const NamedShape& parameter) {
    return parameter.path == "output" || parameter.path == "output.weight";
  });
  const bool scores =
      facts.notes.words_score || path.starts_with("target") || option(facts, "tie") == "all";
  return has_output || !scores;
}

std::string note_of(const std::string& path, const ModelFacts& facts) {
  const std::string name(last_name(path));
  const bool module = has_parameter_below(facts, path);
  if (module && (name == "self" || name == "cross" || name == "attention")) {
    return attention_note(path, facts);
  }
  if (name == "feed" && !module) return "what was looked at, into the gates";
  if (name == "weight" && !is_table(path, facts)) {
    const bool table = path.find("embedding") != std::string::npos || path == "target.weight" ||
                       path == "source.weight" || path == "words.weight";
    if (table) return "a vector for every token, and its score at the output";
  }
  if (is_table(path, facts)) {
    return path.find("positions") != std::string::npos ? "a vector for every position"
                                                       : "a vector for every token";
  }
  if (module && (path == "encoder" || path == "decoder" || name == "network")) {
    const std::string cell = option(facts, "cell");
    const bool recurrent = std::ranges::any_of(facts.parameters, [&](const NamedShape& parameter) {
      return parameter.path.starts_with(path) && parameter.path.ends_with(".w_h");
    });
    if (recurrent && !cell.empty()) return "recurrent network: " + cell;
    if (path == "encoder") return "reads the text";
    return path == "decoder" ? "writes, token by token" : "";
  }
  if (name == "output") return facts.notes.output;
  const auto found = std::ranges::find(kNotes, std::string_view(name),
                                       [](const auto& note) { return note.first; });
  return found == kNotes.end() ? std::string() : std::string(found->second);
}

int flow_rank(std::string_view name) {
  // Sorted names of a file do not tell in which order a token meets the parts.
  constexpr std::array<std::string_view, 42> kFlow = {
      "positions",   "source",     "target",       "words",        "embedding", "filters",
      "encoder",     "network",    "stack",        "layers",       "self_norm", "self",
      "cross_norm",  "cross",      "feed_norm",    "encoder_norm", "question",  "attention",
      "bridges",     "decoder",    "decoder_norm", "context",      "gate",      "",
      "readout",     "projection", "transform",    "norm",         "feed",      "output",
      "output_bias", "v",          "W_Q",          "W_K",          "W_V",       "W_O",
      "w_x",         "w_h",        "weight",       "gain",         "bias",      "candidate_bias"};
  const auto* found = std::ranges::find(kFlow, name);
  if (found == kFlow.end()) found = std::ranges::find(kFlow, std::string_view());
  return static_cast<int>(found - kFlow.begin());
}

namespace {

double number_option(const ModelFacts& facts, const std::string& name) {
  const std::string value = option(facts, name);
  return value.empty() ? 0 : std::strtod(value.c_str(), nullptr);
}

// What a model that reads in segments remembers, and how far back that reaches.
std::vector<Part> memory_parts(const ModelFacts& facts) {
  if (option(facts, "model") != "transformer_xl") return {};
  const double segment = number_option(facts, "longest"), memory = number_option(facts, "memory");
  const double layers = number_option(facts, "layers");
  const std::string compression = option(facts, "compression");
  double before = memory;  // tokens that a layer sees of what came before a segment
  std::string slots;
  if (!compression.empty() && compression != "none") {
    const double count = number_option(facts, "slots"),
                 rate = number_option(facts, "compression-rate");
    before += count * rate;
    slots =
        fmt::format(", and {} slots that each stand for {} more ({})", count, rate, compression);
  }
  return {{.name = "memory",
           .note = fmt::format("the last {} states of each layer before a segment of {} tokens, "
                               "without gradient{}: {} layers reach {} tokens back",
                               memory, segment, slots, layers, layers * before + segment),
           .trained = false}};
}

}  // namespace

std::vector<Part> fixed_parts(const ModelFacts& facts) {
  std::vector<Part> parts = memory_parts(facts);
  const std::string positions = option(facts, "positions");
  // Only a stack of layers that attend to themselves has positions; the option is there for all.
  const bool attends = std::ranges::any_of(facts.parameters, [](const auto& parameter) {
    return parameter.path.find(".self.") != std::string::npos;
  });
  const auto& cards = models::positions_cards();
  const auto found = std::ranges::find(cards, positions, &models::PositionsCard::name);
  if (!attends || found == cards.end() || found->formula.empty()) return parts;
  parts.push_back({.name = "positions", .note = found->formula, .trained = false});
  return parts;
}

std::string human_count(double count) {
  constexpr std::array kUnits = {"", " k", " M", " G", " T"};
  std::size_t unit = 0;
  while (count >= 999.5 && unit + 1 < kUnits.size()) {
    count /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f}", count) : fmt::format("{:.3g}{}", count, kUnits[unit]);
}

}  // namespace heed::insight
