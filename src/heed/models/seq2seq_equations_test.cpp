// SPDX-License-Identifier: Apache-2.0
// The decoders of Bahdanau 2015 and Luong 2015 written as plain loops over numbers, against the
// model.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "heed/models/seq2seq.h"
#include "heed/models/testing.h"

namespace heed::models {
namespace {

using Vector = std::vector<double>;

double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}

Vector operator+(Vector a, const Vector& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

Vector joined(std::initializer_list<Vector> parts) {
  Vector all;
  for (const Vector& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Vector bent(Vector x) {
  for (double& value : x) value = std::tanh(value);
  return x;
}

// The numbers of one model and of one source sentence, by name.
struct Numbers {
  std::map<std::string, Tensor> all{};

  explicit Numbers(Seq2Seq& model) {
    for (const nn::Parameter& parameter : nn::parameters(model)) {
      all[parameter.name] = parameter.variable.value();
    }
  }
  Vector vector(const std::string& name) const {
    const auto values = all.at(name).values();
    return {values.begin(), values.end()};
  }
  Vector row(const std::string& name, std::int64_t i) const {
    const auto values = all.at(name).slice(0, i, i + 1).values();
    return {values.begin(), values.end()};
  }
  // W x
  Vector times(const std::string& name, const Vector& x) const {
    const Tensor& w = all.at(name);
    EXPECT_EQ(w.size(1), static_cast<std::int64_t>(x.size())) << name;
    Vector y(static_cast<std::size_t>(w.size(0)));
    for (std::int64_t i = 0; i < w.size(0); ++i) {
      for (std::int64_t j = 0; j < w.size(1); ++j) {
        y[static_cast<std::size_t>(i)] += w.at({i, j}) * x[static_cast<std::size_t>(j)];
      }
    }
    return y;
  }
};

std::vector<Vector> keys_of(const Encoded& encoded) {
  const Tensor& keys = encoded.as<RecurrentSource>().memory.keys.value();
  std::vector<Vector> rows;
  for (std::int64_t j = 0; j < keys.size(2); ++j) {
    const auto values = keys.slice(2, j, j + 1).values();
    rows.emplace_back(values.begin(), values.end());
  }
  return rows;
}

// The mean of the keys, weighted by the softmax of these scores.
Vector read(const std::vector<Vector>& keys, const Vector& scores) {
  double total = 0;
  for (const double score : scores) total += std::exp(score);
  Vector context(keys.front().size());
  for (std::size_t j = 0; j < keys.size(); ++j) {
    for (std::size_t i = 0; i < context.size(); ++i) {
      context[i] += std::exp(scores[j]) / total * keys[j][i];
    }
  }
  return context;
}

void expect_row(const Tensor& logits, std::int64_t row, const Vector& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(logits.at({row, static_cast<std::int64_t>(i)}), expected[i], 1e-5)
        << "token " << row << ", word " << i;
  }
}

constexpr std::size_t kHidden = 5;

TEST(Seq2SeqEquations, AreThoseOfBahdanau) {
  Random random(11);
  Seq2Seq model({.source_vocabulary = 9,
                 .target_vocabulary = 8,
                 .cell = nn::Cell::gru,
                 .embedding = 4,
                 .hidden = kHidden,
                 .attention = "additive(size=6)"},
                random);
  const Sequences source = testing::random_sequences({4}, 9, random);
  const Sequences target = testing::random_sequences({5}, 8, random);
  const Encoded encoded = model.encode(source, {});
  const Tensor logits = model.decode(encoded, target, {}).logits.value();

  const Numbers numbers(model);
  const std::vector<Vector> keys = keys_of(encoded);
  // s_0 = tanh(W_s h_1), h_1 the backward state at the first word.
  const Vector backward_first(keys[0].begin() + kHidden, keys[0].end());
  Vector s = bent(numbers.times("bridges.0.h.weight", backward_first) +
                  numbers.vector("bridges.0.h.bias"));
  const Ids before = shifted(target.ids);
  for (std::int64_t t = 0; t < 5; ++t) {
    const Vector y = numbers.row("target.weight", before.at({0, t}));
    Vector scores;
    for (const Vector& key : keys) {
      const Vector inside =
          bent(numbers.times("attention.score.W2", s) + numbers.times("attention.score.W1", key));
      double score = 0;
      for (std::size_t i = 0; i < inside.size(); ++i) {
        score += numbers.vector("attention.score.v")[i] * inside[i];
      }
      scores.push_back(score);
    }
    const Vector c = read(keys, scores);
    const Vector x = numbers.times("decoder.layers.0.w_x", y) + numbers.times("decoder.feed", c) +
                     numbers.vector("decoder.layers.0.bias");
    const Vector h = numbers.times("decoder.layers.0.w_h", s);
    const Vector bias = numbers.vector("decoder.layers.0.candidate_bias");
    for (std::size_t i = 0; i < kHidden; ++i) {
      const double reset = logistic(x[i] + h[i]);
      const double keep = logistic(x[kHidden + i] + h[kHidden + i]);
      const double proposed =
          std::tanh(x[2 * kHidden + i] + reset * (h[2 * kHidden + i] + bias[i]));
      s[i] = (1 - keep) * proposed + keep * s[i];
    }
    const Vector r = bent(numbers.times("decoder.readout.weight", joined({s, c, y})) +
                          numbers.vector("decoder.readout.bias"));
    expect_row(logits, t, numbers.times("output", r) + numbers.vector("output_bias"));
  }
}

TEST(Seq2SeqEquations, AreThoseOfLuongWithInputFeeding) {
  Random random(12);
  Seq2Seq model({.source_vocabulary = 9,
                 .target_vocabulary = 8,
                 .embedding = 4,
                 .hidden = kHidden,
                 .bidirectional = false,
                 .attention = "bilinear",
                 .arrangement = Arrangement::luong,
                 .input_feeding = true},
                random);
  const Sequences source = testing::random_sequences({4}, 9, random);
  const Sequences target = testing::random_sequences({5}, 8, random);
  const Encoded encoded = model.encode(source, {});
  const Tensor logits = model.decode(encoded, target, {}).logits.value();

  const Numbers numbers(model);
  const std::vector<Vector> keys = keys_of(encoded);
  // The decoder starts where the encoder ended.
  Vector h = keys.back();
  const auto last_cell = encoded.as<RecurrentSource>().initial[0].c.value().values();
  Vector cell(last_cell.begin(), last_cell.end());
  Vector r(kHidden, 0.0);
  const Ids before = shifted(target.ids);
  for (std::int64_t t = 0; t < 5; ++t) {
    const Vector y = numbers.row("target.weight", before.at({0, t}));
    const Vector gates =
        numbers.times("decoder.layers.0.w_x", y) + numbers.times("decoder.feed", r) +
        numbers.times("decoder.layers.0.w_h", h) + numbers.vector("decoder.layers.0.bias");
    for (std::size_t i = 0; i < kHidden; ++i) {
      cell[i] = logistic(gates[kHidden + i]) * cell[i] +
                logistic(gates[i]) * std::tanh(gates[2 * kHidden + i]);
      h[i] = logistic(gates[3 * kHidden + i]) * std::tanh(cell[i]);
    }
    Vector scores;
    const Tensor& w = numbers.all.at("attention.score.W");
    for (const Vector& key : keys) {
      double score = 0;
      for (std::size_t i = 0; i < kHidden; ++i) {
        for (std::size_t j = 0; j < kHidden; ++j) {
          score +=
              h[i] * w.at({static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)}) * key[j];
        }
      }
      scores.push_back(score);
    }
    r = bent(numbers.times("decoder.readout.weight", joined({read(keys, scores), h})) +
             numbers.vector("decoder.readout.bias"));
    expect_row(logits, t, numbers.times("output", r) + numbers.vector("output_bias"));
  }
}

}  // namespace
}  // namespace heed::models
