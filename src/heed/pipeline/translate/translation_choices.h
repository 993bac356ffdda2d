// SPDX-License-Identifier: Apache-2.0
// The length penalty that suits a translator: chosen by the BLEU of validation when training ends,
// kept in its folder.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "heed/metrics/bleu.h"
#include "heed/pipeline/translate/translator.h"

namespace heed::pipeline {

struct LengthChoice {
  double alpha = decoding::LengthPenalty{}.alpha;  // of Wu's penalty
  metrics::Bleu before{};                          // with the alpha that nobody chose
  metrics::Bleu after{};

  // "alpha 1.4: BLEU 39.2 instead of 38.6, lengths .97 of the references' instead of .91".
  std::string to_string() const;
};

// The alpha whose best hypotheses have the highest BLEU; of equal ones the nearest to the default.
// All are tried on the hypotheses of one beam search: the penalty ranks what has ended, and has no
// say in what ends. Empty sources stand between documents and have no reference.
LengthChoice choose_length(const Translator& translator, std::span<const std::string> sources,
                           std::span<const std::string> references, const TranslateOptions& options,
                           const std::function<void(std::size_t done)>& done = nullptr);

// The penalty that a folder keeps: Wu's with the alpha that was chosen, or an imported model's own;
// the default where it keeps nothing.
decoding::LengthPenalty kept_length(const std::filesystem::path& folder);
void keep_length_alpha(const std::filesystem::path& folder, double alpha);

// The choice that makes an imported model score as its own program does: n^alpha.
std::string own_length_choice(double alpha);

}  // namespace heed::pipeline
