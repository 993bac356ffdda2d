// SPDX-License-Identifier: Apache-2.0
// Subjects whose every number is known: a sum over words, and a curved function of a sum.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "heed/explain/explainer.h"
#include "heed/explain/subject.h"

namespace heed::explain {

// y = b + sum over words of v_t, bent where `curve` is not 0: y = b + s + curve s² + curve v_0 v_1.
// A word that is taken away has v = 0, whatever the way.
class SumSubject : public Subject {
 public:
  explicit SumSubject(std::vector<double> values, double curve = 0, double constant = .3)
      : values_(std::move(values)), curve_(curve), constant_(constant) {}

  // What the model takes off every vector before it reads them, and a word that it does not read.
  double shift = 0;
  std::size_t hidden = static_cast<std::size_t>(-1);

  std::size_t size() const override { return values_.size(); }
  std::vector<double> outputs(std::span<const Kept> copies, Removal) const override {
    std::vector<double> found;
    for (const Kept& kept : copies) {
      std::vector<double> read;
      for (std::size_t t = 0; t < size(); ++t) read.push_back(kept[t] ? values_[t] : 0);
      found.push_back(output_of(read));
    }
    return found;
  }
  bool has_vectors() const override { return true; }
  Vectors vectors() const override {
    Vectors found;
    for (const double value : values_) found.push_back({value + shift});
    return found;
  }
  std::vector<double> outputs_at(std::span<const Vectors> copies) const override {
    std::vector<double> found;
    for (const Vectors& copy : copies) found.push_back(output_of(read_of(copy)));
    return found;
  }
  std::vector<Vectors> gradients_at(std::span<const Vectors> copies) const override {
    std::vector<Vectors> all;
    for (const Vectors& copy : copies) {
      const std::vector<double> read = read_of(copy);
      double sum = 0;
      for (std::size_t t = 0; t < size(); ++t) sum += t == hidden ? 0 : read[t];
      Vectors& mine = all.emplace_back();
      for (std::size_t t = 0; t < size(); ++t) {
        double slope = 1 + 2 * curve_ * sum;
        if (size() > 1 && t < 2) slope += curve_ * read[1 - t];
        mine.push_back({t == hidden ? 0 : slope});
      }
    }
    return all;
  }

 private:
  std::vector<double> read_of(const Vectors& copy) const {
    std::vector<double> read;
    for (const std::vector<double>& one : copy) read.push_back(one[0] - shift);
    return read;
  }
  double output_of(std::span<const double> read) const {
    double sum = 0;
    for (std::size_t t = 0; t < size(); ++t) sum += t == hidden ? 0 : read[t];
    double found = constant_ + sum + curve_ * sum * sum;
    if (size() > 1 && hidden > 1) found += curve_ * read[0] * read[1];
    return found;
  }

  std::vector<double> values_;
  double curve_;
  double constant_;
};

// The same with attention, which has its share of each word's value.
class AttendingSubject final : public SumSubject {
 public:
  using SumSubject::SumSubject;
  bool attends() const override { return true; }
  std::vector<double> attention() const override {
    std::vector<double> found(size(), 1 / static_cast<double>(size()));
    if (hidden < size()) found[hidden] = 0;
    return found;
  }
  bool has_attention_gradients() const override { return true; }
  std::vector<double> attention_gradients() const override {
    std::vector<double> found;
    for (std::size_t t = 0; t < size(); ++t) found.push_back(static_cast<double>(t));
    return found;
  }
  // Two layers of two heads between a token of no word and the words, and two looks at them.
  bool has_looks() const override { return true; }
  Looks looks() const override {
    const auto tokens = static_cast<std::int64_t>(size()) + 1;
    Looks found{.words = {-1}, .size = size()};
    for (std::size_t t = 0; t < size(); ++t) found.words.push_back(static_cast<int>(t));
    for (int layer = 0; layer < 2; ++layer) found.layers.push_back(look(tokens, tokens, layer));
    for (int read = 0; read < 2; ++read) found.reads.push_back(look(3, tokens, 7 + read));
    found.query = 1;
    return found;
  }

 private:
  // Rows of sum 1 over what is not hidden, and any gradients and values.
  Look look(std::int64_t queries, std::int64_t tokens, int number) const {
    Look found{.weights = Tensor::zeros({2, queries, tokens}),
               .gradients = Tensor::zeros({2, queries, tokens}),
               .values = Tensor::zeros({2, tokens, 3})};
    for (std::int64_t row = 0; row < 2 * queries; ++row) {
      double sum = 0;
      const auto cell = [&](std::int64_t k) {
        if (hidden < size() && k == static_cast<std::int64_t>(hidden) + 1) return 0.;
        return 1.1 + std::sin(static_cast<double>(31 * number + 17 * row + 3 * k));
      };
      for (std::int64_t k = 0; k < tokens; ++k) sum += cell(k);
      for (std::int64_t k = 0; k < tokens; ++k) {
        found.weights.mutable_data()[row * tokens + k] = static_cast<Real>(cell(k) / sum);
        found.gradients.mutable_data()[row * tokens + k] =
            static_cast<Real>(std::cos(static_cast<double>(5 * number + 3 * row + k)));
      }
    }
    for (std::int64_t i = 0; i < 6 * tokens; ++i) {
      found.values.mutable_data()[i] = static_cast<Real>(std::sin(static_cast<double>(i * i)));
    }
    return found;
  }
};

// Asked for one copy at a time.
class OneByOne final : public Subject {
 public:
  explicit OneByOne(const Subject& inner) : inner_(inner) {}
  std::size_t size() const override { return inner_.size(); }
  std::vector<double> outputs(std::span<const Kept> copies, Removal removal) const override {
    std::vector<double> found;
    for (std::size_t i = 0; i < copies.size(); ++i) {
      found.push_back(inner_.outputs(copies.subspan(i, 1), removal).front());
    }
    return found;
  }
  bool removes(Removal removal) const override { return inner_.removes(removal); }
  bool has_vectors() const override { return inner_.has_vectors(); }
  Vectors vectors() const override { return inner_.vectors(); }
  std::vector<double> outputs_at(std::span<const Vectors> copies) const override {
    std::vector<double> found;
    for (std::size_t i = 0; i < copies.size(); ++i) {
      found.push_back(inner_.outputs_at(copies.subspan(i, 1)).front());
    }
    return found;
  }
  std::vector<Vectors> gradients_at(std::span<const Vectors> copies) const override {
    std::vector<Vectors> found;
    for (std::size_t i = 0; i < copies.size(); ++i) {
      found.push_back(inner_.gradients_at(copies.subspan(i, 1)).front());
    }
    return found;
  }
  bool attends() const override { return inner_.attends(); }
  std::vector<double> attention() const override { return inner_.attention(); }
  bool has_attention_gradients() const override { return inner_.has_attention_gradients(); }
  std::vector<double> attention_gradients() const override { return inner_.attention_gradients(); }
  bool has_looks() const override { return inner_.has_looks(); }
  Looks looks() const override { return inner_.looks(); }

 private:
  const Subject& inner_;
};

inline std::vector<double> shares(const std::string& written, const Subject& subject) {
  return make_explainer(written)->explain(subject).shares;
}

}  // namespace heed::explain
