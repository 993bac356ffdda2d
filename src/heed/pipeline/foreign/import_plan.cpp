// SPDX-License-Identifier: Apache-2.0
// TensorRecipes for parameters, and rows of tokens in Heed's order.
#include "heed/pipeline/foreign/import_plan.h"

#include <algorithm>
#include <limits>

#include "heed/base/error.h"

namespace heed::pipeline {
namespace {

namespace fs = std::filesystem;

void copy_all(std::span<const Real> from, std::span<Real> to) {
  std::ranges::copy(from, to.begin());
}

std::vector<Importer>& listed() {
  static std::vector<Importer> all;
  return all;
}

ForeignConfig config_of(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    throw DataError("{}: there is no such folder; give one with config.json and weights",
                    folder.string());
  }
  if (!fs::exists(folder / "config.json", ignored)) {
    throw DataError("{}: config.json is missing, which says what the model is", folder.string());
  }
  return ForeignConfig(folder / "config.json");
}

}  // namespace

ForeignFolder::ForeignFolder(const fs::path& folder)
    : path(folder), config(config_of(folder)), weights(folder) {
  if (has("generation_config.json")) generation.emplace(folder / "generation_config.json");
}

bool ForeignFolder::has(const std::string& file) const {
  std::error_code ignored;
  return fs::exists(path / file, ignored);
}

std::optional<std::int64_t> ForeignFolder::token(std::string_view key) const {
  if (generation) {
    if (const auto found = generation->token(key)) return found;
  }
  return config.token(key);
}

double ForeignFolder::number(std::string_view key, double otherwise) const {
  return generation ? generation->number(key, config.number(key, otherwise))
                    : config.number(key, otherwise);
}

void TensorRecipes::take(const std::string& parameter, const std::string& tensor,
                         std::vector<std::size_t> shape) {
  add({parameter, tensor, std::move(shape), copy_all});
}

void TensorRecipes::take_part(const std::string& parameter, const std::string& tensor,
                              std::vector<std::size_t> shape, std::size_t first_row,
                              double factor) {
  std::size_t row = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) row *= shape[i];
  add({parameter, tensor, std::move(shape),
       [begin = first_row * row, factor](std::span<const Real> from, std::span<Real> to) {
         for (std::size_t i = 0; i < to.size(); ++i) {
           to[i] = static_cast<Real>(factor * static_cast<double>(from[begin + i]));
         }
       }});
}

void TensorRecipes::take_transposed(const std::string& parameter, const std::string& tensor,
                                    std::size_t in, std::size_t out, std::size_t first,
                                    std::size_t columns, double factor) {
  if (columns == 0) columns = out;
  add({parameter, tensor, {in, out}, [=](std::span<const Real> from, std::span<Real> to) {
         for (std::size_t column = 0; column < columns; ++column) {
           for (std::size_t row = 0; row < in; ++row) {
             to[column * in + row] =
                 static_cast<Real>(factor * static_cast<double>(from[row * out + first + column]));
           }
         }
       }});
}

void TensorRecipes::take_linear(const std::string& parameter, const std::string& tensor,
                                std::size_t in, std::size_t out, bool bias) {
  take(parameter + ".weight", tensor + ".weight", {out, in});
  if (bias) take(parameter + ".bias", tensor + ".bias", {out});
}

void TensorRecipes::take_norm(const std::string& parameter, const std::string& tensor,
                              std::size_t width, bool bias) {
  take(parameter + ".gain", tensor + ".weight", {width});
  if (bias) take(parameter + ".bias", tensor + ".bias", {width});
}

void TensorRecipes::take_ordered_linear(const std::string& parameter, const std::string& tensor,
                                        std::size_t in, const std::vector<std::size_t>& order) {
  const auto rows_of = [&](std::size_t row) {
    return [order, row](std::span<const Real> from, std::span<Real> to) {
      for (std::size_t i = 0; i < order.size(); ++i) {
        std::ranges::copy(from.subspan(order[i] * row, row), to.subspan(i * row, row).begin());
      }
    };
  };
  add({parameter + ".weight", tensor + ".weight", {order.size(), in}, rows_of(in)});
  add({parameter + ".bias", tensor + ".bias", {order.size()}, rows_of(1)});
}

void TensorRecipes::fill(const std::string& parameter, Real value) {
  add({parameter, "", {}, [value](std::span<const Real>, std::span<Real> to) {
         std::ranges::fill(to, value);
       }});
}

void TensorRecipes::drop_ending(std::string_view ending, const std::string& reason) {
  for (const auto& [name, tensor] : weights_.tensors()) {
    if (name.ends_with(ending)) drop(name, reason);
  }
}

void TensorRecipes::drop_beginning(std::string_view beginning, const std::string& reason) {
  for (const auto& [name, tensor] : weights_.tensors()) {
    if (name.starts_with(beginning)) drop(name, reason);
  }
}

void take_token_rows(TensorRecipes& recipes, const ForeignTokens& tokens,
                     const std::string& parameter, const std::string& tensor, std::size_t width) {
  const auto rows = static_cast<std::size_t>(tokens.vocabulary.rows);
  recipes.add({parameter,
               tensor,
               {rows, width},
               [numbers = tokens.numbers, copies = tokens.copies, width](std::span<const Real> from,
                                                                         std::span<Real> to) {
                 for (text::Token token = 0; token < numbers.size(); ++token) {
                   text::Token original = numbers.original(token);
                   const auto into = to.subspan(static_cast<std::size_t>(token) * width, width);
                   if (original == text::Renumbering::kMadeUp) {
                     const auto copy = copies.find(token);
                     if (copy != copies.end()) original = copy->second;
                   }
                   if (original == text::Renumbering::kMadeUp) {
                     std::ranges::fill(into, Real{0});
                   } else {
                     std::ranges::copy(
                         from.subspan(static_cast<std::size_t>(original) * width, width),
                         into.begin());
                   }
                 }
               }});
}

void take_output_bias(TensorRecipes& recipes, const ForeignTokens& tokens,
                      const std::string& parameter, const std::string& tensor) {
  const ForeignTensor* bias = tensor.empty() ? nullptr : recipes.weights().find(tensor);
  const auto rows = static_cast<std::size_t>(tokens.vocabulary.rows);
  std::vector<std::size_t> shape = {rows};
  // Marian's is a row.
  if (bias != nullptr && bias->shape.size() == 2) shape = {1, rows};
  recipes.add({parameter, bias == nullptr ? "" : tensor, shape,
               [numbers = tokens.numbers, written = tokens.written](std::span<const Real> from,
                                                                    std::span<Real> to) {
                 for (text::Token token = 0; token < numbers.size(); ++token) {
                   const text::Token original = numbers.original(token);
                   const bool may = original >= 0 && written.contains(original);
                   to[static_cast<std::size_t>(token)] =
                       !may           ? -std::numeric_limits<Real>::infinity()
                       : from.empty() ? Real{0}
                                      : from[static_cast<std::size_t>(original)];
                 }
               }});
}

const std::vector<Importer>& importers() {
  return listed();
}

ListedImporter::ListedImporter(Importer importer) {
  listed().push_back(std::move(importer));
}

}  // namespace heed::pipeline
