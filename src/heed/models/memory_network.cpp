// SPDX-License-Identifier: Apache-2.0
// m_i = sum_j l_j A x_ij + T_A(i), c_i likewise, u = sum_j l_j B q_j; then K times
// u <- u + sum_i softmax(m u)_i c_i (Sukhbaatar 2015, Eq. 1 to 4); logits W u.
#include "heed/models/memory_network.h"

#include <map>

#include "heed/attention/mechanism.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/models/memory_network_sites.h"
#include "heed/nn/initialisers.h"

namespace heed::models {
namespace {

constexpr Real kDeviation = Real(.1);

// The written form with the scores themselves for weights.
attention::Spec without_normaliser(attention::Spec spec) {
  const attention::Spec linear = attention::parse_spec("dot | full | identity");
  for (attention::HeadsSpec& group : spec.groups) {
    group.mechanism.normaliser = linear.groups.front().mechanism.normaliser;
  }
  return spec;
}

// Gives `twin` the parameters of `mine` that both have.
void share_parameters(attention::Attention& mine, attention::Attention& twin) {
  std::map<std::string, Variable> own;
  nn::ParameterVisitor([&](const std::string& path, Variable& v) {
    own.emplace(path, v);
  }).enter(mine);
  nn::ParameterVisitor([&](const std::string& path, Variable& v) {
    if (const auto found = own.find(path); found != own.end()) v = found->second;
  }).enter(twin);
}

Variable first_values(const Shape& shape, Random& random) {
  return nn::parameter(nn::normal(shape, random, 0, kDeviation));
}

// The identity with noise: a hop begins as one that has no map.
Variable first_map(std::int64_t width, Random& random) {
  Tensor values = nn::normal({width, width}, random, 0, kDeviation);
  for (std::int64_t i = 0; i < width; ++i) values.mutable_data()[i * width + i] += 1;
  return nn::parameter(values);
}

void require_size(const char* what, std::int64_t found, std::int64_t least) {
  if (found < least) {
    throw UsageError("memory network: {} is {}; it takes {} or more", what, found, least);
  }
}

}  // namespace

const std::vector<std::string>& tying_names() {
  static const std::vector<std::string> names = {"adjacent", "layer-wise"};
  return names;
}

const std::vector<std::string>& word_places_names() {
  static const std::vector<std::string> names = {"scaled", "paper", "none"};
  return names;
}

Tensor word_place_weights(WordPlaces places, std::int64_t words, std::int64_t width) {
  Tensor weights({words, width});
  const auto J = static_cast<double>(words), D = static_cast<double>(width);
  for (std::int64_t row = 0; row < words; ++row) {
    const auto j = static_cast<double>(row + 1);
    for (std::int64_t column = 0; column < width; ++column) {
      const auto k = static_cast<double>(column + 1);
      const double weight = places == WordPlaces::none ? 1
                            : places == WordPlaces::paper
                                ? (1 - j / J) - (k / D) * (1 - 2 * j / J)
                                : 1 + 4 * (k - (D + 1) / 2) * (j - (J + 1) / 2) / (D * J);
      weights.mutable_data()[row * width + column] = static_cast<Real>(weight);
    }
  }
  return weights;
}

MemoryNetwork::MemoryNetwork(const MemoryNetworkOptions& options, Random& random)
    : options_(options) {
  require_size("the vocabulary", options.vocabulary, 2);
  require_size("the width", options.width, 1);
  require_size("the number of hops", options.hops, 1);
  require_size("the number of slots", options.slots, 1);
  require_size("the number of words of a sentence", options.words, 1);
  require_size("the number of ages", options.ages, 0);
  if (options.places != WordPlaces::none) {
    place_weights_ = word_place_weights(options.places, options.words, options.width);
  }
  const bool adjacent = !options.key_value && options.tying == Tying::adjacent;
  const int tables = options.key_value ? 2 : adjacent ? options.hops + 1 : 4;
  for (int i = 0; i < tables; ++i) {
    // Questions and answers have no age: their tables of layer-wise tying and of key-value memories
    // are the last ones.
    const bool remembered = adjacent || i < (options.key_value ? 1 : 2);
    Table table{.words = first_values({options.vocabulary, options.width}, random), .ages = {}};
    if (options.ages > 0 && remembered) {
      table.ages = first_values({options.ages + 1, options.width}, random);
    }
    tables_.push_back(std::move(table));
  }
  const bool shared = !options.key_value && options.tying == Tying::layer_wise;
  for (int i = 0; i < (shared ? 1 : options.hops); ++i) hops_.push_back(make_hop(random));
  if (shared) state_map_ = first_values({options.width, options.width}, random);
}

MemoryNetwork::Hop MemoryNetwork::make_hop(Random& random) const {
  const attention::MechanismShape shape{
      .query_width = options_.width, .key_width = options_.width, .value_width = options_.width};
  const attention::Spec spec = attention::parse_spec(options_.attention);
  Hop hop{.softened = attention::make_attention(spec, shape, random), .linear = {}, .map = {}};
  if (!hop.softened->gives_weights()) {
    throw UsageError(
        "memory network: the attention {} has no weights, and hops are there to be looked at; "
        "choose one of a score, a pattern and a normaliser, such as dot | full | softmax",
        hop.softened->written());
  }
  if (dynamic_cast<const attention::Mechanism*>(hop.softened.get()) != nullptr) {
    hop.linear = attention::make_attention(without_normaliser(spec), shape, random);
    share_parameters(*hop.softened, *hop.linear);
  }
  if (options_.key_value) hop.map = first_map(options_.width, random);
  return hop;
}

void MemoryNetwork::Table::visit(nn::ParameterVisitor& visitor) {
  visitor("words", words);
  visitor("ages", ages);
}

void MemoryNetwork::Hop::visit(nn::ParameterVisitor& visitor) {
  visitor("attention", *softened);
  visitor("map", map);
}

void MemoryNetwork::visit(nn::ParameterVisitor& visitor) {
  visitor("tables", tables_);
  visitor("hops", hops_);
  visitor("state_map", state_map_);
}

// Layer-wise tables are A, C, B, W; those of key-value memories A and B; adjacent ones one for each
// place between hops.
std::size_t MemoryNetwork::key_table(int hop) const {
  if (options_.key_value || options_.tying == Tying::layer_wise) return 0;
  return static_cast<std::size_t>(hop);
}

std::size_t MemoryNetwork::value_table(int hop) const {
  if (options_.key_value) return 0;
  if (options_.tying == Tying::layer_wise) return 1;
  return static_cast<std::size_t>(hop) + 1;
}

std::size_t MemoryNetwork::question_table() const {
  return !options_.key_value && options_.tying == Tying::layer_wise ? 2 : 0;
}

std::size_t MemoryNetwork::output_table() const {
  return tables_.size() - 1;
}

Variable MemoryNetwork::sentence_vectors(const Table& table, const Ids& sentences) const {
  const Variable words = embedding(table.words, sentences, kNullWord);  // [U,J,D]
  return sum(place_weights_.defined() ? words * Variable(place_weights_) : words, 1);
}

void MemoryNetwork::check(const StoryBatch& batch) const {
  const std::int64_t count = batch.questions.size();
  const auto require = [](const char* what, const Ids& found, const Shape& wanted) {
    if (found.defined() && found.shape() == wanted) return;
    throw UsageError("memory network: {} are {}; it takes {}", what,
                     found.defined() ? found.shape().text() : "not given", wanted.text());
  };
  require("the sentences", batch.sentences, {batch.sentences.size(0), options_.words});
  require("the keys", batch.keys, {count, options_.slots});
  if (options_.key_value) require("the values", batch.values, {count, options_.slots});
  if (options_.ages > 0) require("the ages", batch.ages, {count, options_.slots});
  require("the lengths", batch.lengths, {count});
}

Variable MemoryNetwork::after_hop(const Variable& state, const Variable& found,
                                  const Hop& hop) const {
  Variable next = hop.map.defined()      ? linear(state + found, hop.map, {})
                  : state_map_.defined() ? linear(state, state_map_, {}) + found
                                         : state + found;
  return options_.rectified ? relu(next) : next;
}

StoryAnswers MemoryNetwork::operator()(const StoryBatch& batch, const Call& call,
                                       const StoryRead& read) const {
  check(batch);
  if (read.linear && !reads_linearly()) {
    throw UsageError("memory network: {} has no normaliser to leave out for a linear start",
                     hops_.front().softened->written());
  }
  const std::int64_t count = batch.questions.size(), slots = options_.slots;
  std::vector<Variable> sentences;  // of each table
  for (const Table& table : tables_) {
    const bool read_here =
        &table != &tables_[output_table()] || value_table(options_.hops - 1) == output_table();
    sentences.push_back(read_here ? sentence_vectors(table, batch.sentences) : Variable());
  }
  std::map<std::size_t, Variable> remembered;  // [B,S,D] by table
  const auto memory_of = [&](std::size_t table, const Ids& which) {
    Variable vectors = embedding(sentences[table], which, kEmptySentence);
    if (tables_[table].ages.defined()) {
      vectors = vectors + embedding(tables_[table].ages, batch.ages, 0);
    }
    return reshape(vectors, {count, 1, slots, options_.width});
  };
  const auto slots_of = [&](std::size_t table, bool values) {
    if (values && options_.key_value) return memory_of(table, batch.values);
    Variable& known = remembered[table];
    if (!known.defined()) known = memory_of(table, batch.keys);
    return known;
  };

  StoryAnswers answers;
  Variable state =
      embedding(sentences[question_table()], batch.questions, kEmptySentence);  // [B,D]
  for (int k = 0; k < options_.hops; ++k) {
    const Hop& hop = hops_[hops_.size() == 1 ? 0 : static_cast<std::size_t>(k)];
    const attention::Attention& look = read.linear ? *hop.linear : *hop.softened;
    attention::Site site = kHopSite;
    site.hop = k;
    const attention::Memory memory =
        look.memory(slots_of(key_table(k), false), slots_of(value_table(k), true),
                    {.lengths = look.reads(attention::Given::lengths) ? batch.lengths : Ids()});
    const attention::Attended found = look.attend(
        reshape(state, {count, 1, 1, options_.width}), memory, {},
        {.weights = read.scores, .noise = call.noise, .watch = call.watch, .site = site});
    if (read.scores) answers.scores.push_back(reshape(found.scores, {count, slots}));
    state = after_hop(state, reshape(found.context, {count, options_.width}), hop);
  }
  // The null word has no row to learn, and so the score 0.
  const Variable words = slice(tables_[output_table()].words, 0, 1, options_.vocabulary);
  answers.logits = pad(linear(state, words, {}), 1, {.before = 1, .after = 0});
  return answers;
}

}  // namespace heed::models
