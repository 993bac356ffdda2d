// SPDX-License-Identifier: Apache-2.0
// The lists behind the catalogues of parts: one for each kind, in this library, wherever the parts
// come from.
#include "heed/attention/addressing.h"
#include "heed/attention/bias.h"
#include "heed/attention/normaliser.h"
#include "heed/attention/pattern.h"
#include "heed/attention/score.h"
#include "heed/attention/whole.h"
#include "heed/attention/written/catalogue.h"

namespace heed::attention {

template <typename Interface>
std::vector<typename Catalogue<Interface>::Entry>& Catalogue<Interface>::listed() {
  static std::vector<Entry> all;
  return all;
}

template std::vector<Catalogue<Addressing>::Entry>& Catalogue<Addressing>::listed();
template std::vector<Catalogue<Bias>::Entry>& Catalogue<Bias>::listed();
template std::vector<Catalogue<NamedPattern>::Entry>& Catalogue<NamedPattern>::listed();
template std::vector<Catalogue<Normaliser>::Entry>& Catalogue<Normaliser>::listed();
template std::vector<Catalogue<Score>::Entry>& Catalogue<Score>::listed();
template std::vector<Catalogue<WholeAttention>::Entry>& Catalogue<WholeAttention>::listed();

}  // namespace heed::attention
