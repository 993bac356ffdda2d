// SPDX-License-Identifier: Apache-2.0
// Looks chosen by layer and head, and added up over words.
#include "heed/explain/looks.h"

#include <algorithm>
#include <charconv>

#include "heed/base/error.h"
#include "heed/tensor/tensor.h"

namespace heed::explain {
namespace {

// The number that a text is; -1 for another text.
std::int64_t number_of(const std::string& text) {
  std::int64_t number = -1;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && last == end && number >= 0 ? number : -1;
}

std::vector<double> mean_over_heads(const Tensor& cells, bool largest, std::int64_t row) {
  const std::int64_t heads = cells.size(0), tokens = cells.size(2);
  std::vector<double> found(static_cast<std::size_t>(tokens), 0);
  for (std::int64_t h = 0; h < heads; ++h) {
    for (std::int64_t k = 0; k < tokens; ++k) {
      double& mine = found[static_cast<std::size_t>(k)];
      const auto cell = static_cast<double>(cells.at({h, row, k}));
      mine = !largest ? mine + cell / static_cast<double>(heads)
             : h == 0 ? cell
                      : std::max(mine, cell);
    }
  }
  return found;
}

// The look with one of its heads alone.
Look of_head(const Look& look, std::int64_t head) {
  if (head >= look.weights.size(0)) {
    throw UsageError("head={}: no such head; there are {}, from 0 on", head, look.weights.size(0));
  }
  const auto one = [&](const Tensor& x) {
    return x.defined() ? x.slice(0, head, head + 1).packed() : x;
  };
  return {one(look.weights), one(look.gradients), one(look.values)};
}

}  // namespace

void LayerChoice::read(const std::string& written) {
  if (written != "read" && written != "all" && number_of(written) < 0) {
    throw UsageError("\"{}\"; it takes read, all or the number of a layer, from 0", written);
  }
  name = written;
}

void HeadChoice::read(const std::string& written) {
  if (written != "mean" && written != "max" && number_of(written) < 0) {
    throw UsageError("\"{}\"; it takes mean, max or the number of a head, from 0", written);
  }
  name = written;
}

void LookChoice::declare(Options& options) {
  options.add("layer", layer,
              "read: what the answer is read with, else the last layer; all: the mean of layers; "
              "or a layer's number, from 0");
  options.add("head", head, "mean of all, max of all, or a head's number, from 0");
}

std::vector<double> by_word(const Looks& looks, std::span<const double> tokens) {
  std::vector<double> words(looks.size, 0);
  for (std::size_t i = 0; i < looks.words.size(); ++i) {
    if (looks.words[i] >= 0) words[static_cast<std::size_t>(looks.words[i])] += tokens[i];
  }
  return words;
}

std::vector<double> read_at(const Looks& looks) {
  if (looks.reads.empty()) return looks.readout;
  std::vector<double> found(looks.words.size(), 0);
  for (const Look& look : looks.reads) {
    const std::vector<double> mine = mean_over_heads(look.weights, false, looks.query);
    for (std::size_t i = 0; i < found.size(); ++i) {
      found[i] += mine[i] / static_cast<double>(looks.reads.size());
    }
  }
  return found;
}

std::vector<double> shares_of(const Looks& looks, const LookChoice& choice, const Cells& cells) {
  const std::int64_t head = number_of(choice.head.name), layer = number_of(choice.layer.name);
  const auto layers = static_cast<std::int64_t>(looks.layers.size());
  if (layer >= layers) {
    throw UsageError("layer={}: no such layer; the model has {} of self-attention, from 0 on",
                     layer, layers);
  }
  const bool read =
      layer < 0 && !looks.reads.empty() && (choice.layer.name == "read" || looks.layers.empty());
  const std::int64_t first = layer >= 0 ? layer : choice.layer.name == "read" ? layers - 1 : 0;
  const std::int64_t last = layer >= 0 ? layer + 1 : layers;
  if (!read && layers == 0) throw UsageError("this model has no attention to look at");

  std::vector<double> found(looks.words.size(), 0);
  const std::vector<double> weights = read ? std::vector<double>() : read_at(looks);
  const auto add = [&](const Look& look, double share) {
    const Tensor all = cells(head >= 0 ? of_head(look, head) : look);
    const bool largest = choice.head.name == "max";
    for (std::int64_t q = 0; q < all.size(1); ++q) {
      const double weight =
          read ? (q == looks.query ? 1 : 0) : weights[static_cast<std::size_t>(q)];
      if (weight == 0) continue;
      const std::vector<double> row = mean_over_heads(all, largest, q);
      for (std::size_t k = 0; k < found.size(); ++k) found[k] += share * weight * row[k];
    }
  };
  if (read) {
    for (const Look& look : looks.reads) add(look, 1 / static_cast<double>(looks.reads.size()));
  } else {
    for (std::int64_t i = first; i < last; ++i) {
      add(looks.layers[static_cast<std::size_t>(i)], 1 / static_cast<double>(last - first));
    }
  }
  return by_word(looks, found);
}

}  // namespace heed::explain
