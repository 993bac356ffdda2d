// SPDX-License-Identifier: Apache-2.0
// Layer:  x + self(x), then x + cross(x, source) where there is a source, then x + feed(x).
// Each way around a sublayer drops, adds and norms as the options say (Vaswani 2017, section 3.1).
#include "heed/models/transformer_stack.h"

#include <cmath>
#include <map>
#include <string>

#include "heed/attention/make_parts.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::models {
namespace {

void check(const TransformerStackOptions& options) {
  if (options.width < 1 || options.inner < 1 || options.layers < 1) {
    throw UsageError("{}: width {}, inner {}, {} layers; all take 1 or more", options.name,
                     options.width, options.inner, options.layers);
  }
  if (options.heads < 1 || (options.head_width == 0 && options.width % options.heads != 0)) {
    throw UsageError("{}: width {} does not divide into {} heads", options.name, options.width,
                     options.heads);
  }
  const std::int64_t head =
      options.head_width > 0 ? options.head_width : options.width / options.heads;
  if (options.positions == Positions::rotary && head % 2 != 0) {
    throw UsageError("{}: rotary positions turn pairs of features; a head has {}", options.name,
                     head);
  }
  const attention::RotaryScaling& scaling = options.rotary.scaling;
  if (scaling.kind == attention::RotaryScaling::Kind::llama3 && scaling.low >= scaling.high) {
    throw UsageError(
        "{}: --rotary-low {} and --rotary-high {}; the second takes more than the first",
        options.name, scaling.low, scaling.high);
  }
}

}  // namespace

void TransformerLayer::visit(nn::ParameterVisitor& visitor) {
  visitor("self_norm", self_norm);
  visitor("self", self);
  visitor("cross_norm", cross_norm);
  visitor("cross", cross);
  visitor("feed_norm", feed_norm);
  visitor("feed", feed);
}

TransformerStack::TransformerStack(const TransformerStackOptions& options, Random& random)
    : options_(options) {
  check(options_);
  const auto fresh_norm = [&] {
    return nn::Norm(options_.norm_kind, options_.width, static_cast<Real>(options_.norm_epsilon));
  };
  for (int i = 0; i < options_.layers; ++i) {
    TransformerLayer& layer = layers_.emplace_back();
    layer.self_norm = fresh_norm();
    layer.self = make_attention(Kind::self, random);
    if (options_.cross) {
      layer.cross_norm = fresh_norm();
      layer.cross = make_attention(Kind::cross, random);
    }
    if (options_.causal) {
      attention::check_causal(options_.name.c_str(), layer.self->mechanism());
      if (layer.cross) attention::check_stepwise(options_.name.c_str(), layer.cross->mechanism());
    }
    layer.feed_norm = fresh_norm();
    layer.feed = nn::FeedForward({.width = options_.width,
                                  .inner = options_.inner,
                                  .activation = options_.activation,
                                  .dropout = static_cast<Real>(options_.inner_dropout),
                                  .gated = options_.gated,
                                  .bias = options_.feed_bias},
                                 random);
  }
  if (options_.positions == Positions::relative && options_.relative_shared) share_relative_table();
  if (options_.norm == NormPlace::pre) norm_ = fresh_norm();
  if (options_.segments > 0) {
    segments_ = nn::Embedding(options_.segments, options_.width, random);
  }
  if (options_.embedding_norm) embedding_norm_ = fresh_norm();
  if (options_.positions == Positions::learned) {
    positions_ = attention::LearnedPositions(options_.longest, options_.width, random);
  }
  visible_ = attention::pattern_of(options_.causal ? "causal" : "padding(of=both)");
  source_visible_ = attention::pattern_of("padding");
}

void TransformerStack::visit_embeddings(nn::ParameterVisitor& visitor) {
  visitor("segments", segments_);
  visitor("embedding_norm", embedding_norm_);
}

void TransformerStack::visit(nn::ParameterVisitor& visitor) {
  visitor("positions", positions_);
  visit_embeddings(visitor);
  visitor("layers", layers_);
  visitor("norm", norm_);
}

std::unique_ptr<attention::MultiHead> TransformerStack::make_attention(Kind kind,
                                                                       Random& random) const {
  const bool self = kind == Kind::self;
  attention::MultiHeadOptions heads{
      .mechanism = self ? options_.attention : options_.cross_attention,
      .query_width = options_.width,
      .key_width = self ? 0 : options_.source_width,
      .heads = options_.heads,
      .key_heads = options_.key_heads,
      .head_width = options_.head_width,
      .bias = options_.attention_bias != Biases::none,
      .output_bias = options_.attention_bias == Biases::all};
  // A target position says nothing of the distance to a source position: only a sequence that
  // attends to itself has these.
  if (self && options_.positions == Positions::rotary) heads.rotary = options_.rotary;
  if (self && options_.positions == Positions::relative) {
    heads.bias_of_positions =
        fmt::format("relative_buckets(buckets={}, distance={}, bidirectional={})",
                    options_.relative_buckets, options_.relative_distance, !options_.causal);
  } else if (self && options_.positions == Positions::distances) {
    heads.bias_of_positions = "transformer_xl";
  }
  return std::make_unique<attention::MultiHead>(heads, random);
}

// The table of distances is that of the last bias of each group of heads, which multi-head
// attention has put behind those that were written.
void TransformerStack::share_relative_table() {
  std::map<std::string, std::string> last;  // of each group, the path of its table
  std::map<std::string, Variable> tables;
  for (TransformerLayer& layer : layers_) {
    const bool first = tables.empty();
    nn::ParameterVisitor collect([&](const std::string& path, Variable& table) {
      const std::size_t bias = path.rfind("bias");
      if (!path.ends_with(".table") || bias == path.npos) return;
      last[path.substr(0, bias)] = path;
      if (first) tables[path] = table;
    });
    layer.self->visit(collect);
    nn::ParameterVisitor share([&](const std::string& path, Variable& table) {
      const std::size_t bias = path.rfind("bias");
      const auto mine = bias == path.npos ? last.end() : last.find(path.substr(0, bias));
      if (mine != last.end() && mine->second == path) table = tables.at(path);
    });
    layer.self->visit(share);
  }
}

Variable TransformerStack::drop(const Variable& x, const Call& call) const {
  const nn::Dropout dropout{static_cast<Real>(options_.dropout)};
  if (!options_.locked_dropout) return dropout(x, call.noise);
  return transpose(dropout.locked(transpose(x, 0, 1), call.noise), 0, 1);
}

// Rows of length about one grow to sqrt(width), so that positions do not drown them (section 3.4).
Variable TransformerStack::embed(const nn::Embedding& words, const Ids& ids, std::int64_t first,
                                 const Call& call, const Ids& segments) const {
  Variable x = words(ids);
  if (options_.scaled_embeddings) x = x * std::sqrt(static_cast<Real>(options_.width));
  if (options_.positions == Positions::sinusoidal) {
    x = x + attention::sinusoidal_positions(ids.size(1), options_.width, first, options_.sinusoids);
  } else if (options_.positions == Positions::learned) {
    x = x + positions_(ids.size(1), first);
  }
  if (segments_.weight.defined()) {
    x = x + (segments.defined() ? segments_(segments) : select(segments_.weight, 0, 0));
  }
  if (embedding_norm_.gain.defined()) x = embedding_norm_(x);
  return drop(x, call);
}

Variable TransformerStack::place(const Variable& x, const Cells& cells, const Call& call) const {
  if (options_.positions == Positions::sinusoidal) {
    const Tensor grid = attention::grid_positions(cells.rows, cells.columns, options_.width);
    return drop(x + Variable(concat({Tensor::zeros({cells.tokens, options_.width}), grid}, 0)),
                call);
  }
  return drop(options_.positions == Positions::learned ? x + positions_(x.size(1)) : x, call);
}

Variable TransformerStack::attend(const attention::MultiHead& heads, const Variable& query,
                                  const attention::Memory& memory, attention::AttentionState& state,
                                  attention::AttendOptions options, const nn::Packing& packing,
                                  const Call& call, CrossLook* look) const {
  options.weights = look != nullptr;
  options.noise = call.noise;
  options.dropout = call.noise != nullptr ? static_cast<Real>(options_.attention_dropout) : 0;
  options.watch = call.watch;
  attention::MultiHeadResult found = heads.attend(query, memory, state, options, packing);
  state = std::move(found.attended.state);
  if (look != nullptr) {
    *look = {look->layer, packing.spread(found.context), found.attended.weights,
             found.attended.masked};
  }
  return found.context;
}

template <typename Sublayer>
Variable TransformerStack::residual(const nn::Norm& norm, const Variable& x, const Call& call,
                                    const Sublayer& sublayer) const {
  if (options_.norm == NormPlace::pre) return x + drop(sublayer(norm(x)), call);
  return norm(x + drop(sublayer(x), call));
}

Variable TransformerStack::attend_to_itself(std::size_t i, const Variable& x, const Input& input,
                                            LayerPast& past, const nn::Packing& packing,
                                            const Call& call) const {
  const attention::MultiHead& heads = *layers_[i].self;
  if (past.history.keys.defined()) {
    past.history = heads.grown(past.history, x, x);
  } else if (!input.before.empty() && input.before[i].defined()) {
    const Variable& before = input.before[i];
    const Variable all =
        concat({options_.norm == NormPlace::pre ? layers_[i].self_norm(before) : before, x}, 1);
    past.history = heads.memory(all, all);
    past.self.step = before.size(1);
  } else {
    // After a causal stack's last token is only padding, which it hides as the future.
    past.history =
        heads.memory(x, x, {.lengths = options_.causal ? Ids() : input.lengths}, packing);
  }
  past.self = past.self.grown(past.history.size());
  return attend(heads, x, past.history, past.self,
                {.pattern = visible_, .site = self_site(input).at_layer(static_cast<int>(i))},
                packing, call);
}

// A step after a past has no padding, and locked masks are of places, not of tokens.
nn::Packing TransformerStack::packing_for(const Variable& x, const Input& input) const {
  if (!input.pasts.empty() || options_.locked_dropout) return {};
  return nn::worthwhile_packing(input.lengths, x.size(1));
}

Variable TransformerStack::operator()(Variable x, const Input& input, const Call& call) const {
  if (options_.cross && input.sources.size() != layers_.size()) {
    throw UsageError("{}: {} sources for {} layers; sources() makes one each", options_.name,
                     input.sources.size(), layers_.size());
  }
  const nn::Packing packing = packing_for(x, input);
  x = packing.packed(x);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const TransformerLayer& layer = layers_[i];
    LayerPast none;
    LayerPast& past = input.pasts.empty() ? none : input.pasts[i];
    if (input.read != nullptr) input.read->push_back(x);
    x = residual(layer.self_norm, x, call, [&](const Variable& h) {
      return attend_to_itself(i, h, input, past, packing, call);
    });
    if (options_.cross) {
      const int number = static_cast<int>(i);
      const bool looked_at = input.look != nullptr && input.look->layer == number;
      x = residual(layer.cross_norm, x, call, [&](const Variable& h) {
        return attend(*layer.cross, h, input.sources[i], past.cross,
                      {.pattern = source_visible_, .site = options_.cross_site.at_layer(number)},
                      packing, call, looked_at ? input.look : nullptr);
      });
    }
    x = residual(layer.feed_norm, x, call,
                 [&](const Variable& h) { return layer.feed(h, call.noise); });
    if (call.watch != nullptr && call.watch->wants_states()) {
      const attention::Site site = self_site(input).at_layer(static_cast<int>(i));
      x = packing.packed(attention::watched_states(call.watch, site, packing.spread(x)));
    }
  }
  if (options_.norm == NormPlace::pre) x = norm_(x);
  return packing.spread(x);
}

std::vector<attention::Memory> TransformerStack::sources(const Variable& source,
                                                         const Ids& lengths) const {
  const nn::Packing packing = nn::worthwhile_packing(lengths, source.size(1));
  const Variable read = packing.packed(source);
  std::vector<attention::Memory> memories;
  for (const TransformerLayer& layer : layers_) {
    memories.push_back(layer.cross->memory(read, read, {.lengths = lengths}, packing));
  }
  return memories;
}

}  // namespace heed::models
