// SPDX-License-Identifier: Apache-2.0
// Which normalisers another one can be made of.
#include "heed/attention/normalisers/of_normaliser.h"

#include <utility>

#include "heed/attention/make_parts.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

std::unique_ptr<RowNormaliser> as_rows(std::unique_ptr<Normaliser> part) {
  auto* const rows = dynamic_cast<RowNormaliser*>(part.get());
  std::unique_ptr<RowNormaliser> owner(rows);
  if (rows != nullptr) static_cast<void>(part.release());
  return owner;
}

}  // namespace

void OfNormaliser::read(const std::string& written) {
  std::unique_ptr<RowNormaliser> part = as_rows(normaliser_of(written));
  const auto refuse = [&](const char* why) {
    throw UsageError("\"{}\" {}; it takes a normaliser such as softmax, sparsemax or sigmoid",
                     written, why);
  };
  if (part == nullptr) refuse("weighs all queries together");
  if (part->keeps(Promise::random)) refuse("is random itself");
  if (part->keeps(Promise::surrogate_gradient)) refuse("has no gradient of its own");
  if (part->drawn_as() == DrawnAs::nothing) refuse("cannot be drawn from: it gives no chances");
  part_ = std::move(part);
}

std::unique_ptr<RowNormaliser> OfNormaliser::copy_of(const OfNormaliser& other) {
  return as_rows(other.part_->clone());
}

}  // namespace heed::attention
