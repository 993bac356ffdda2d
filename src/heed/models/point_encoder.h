// SPDX-License-Identifier: Apache-2.0
// Encoders of points for decoders that are recurrent: an LSTM that reads them one after another
// (Vinyals 2015), and the read and process blocks for sets, whose result does not depend on their
// order (Vinyals 2016, section 4.2).
//
// Letters: B sets, P points, D width.
#pragma once

#include <memory>

#include "heed/attention/attention.h"
#include "heed/models/encoder.h"
#include "heed/nn/linear.h"

namespace heed::models {

// Reads embedded points [B,P,D]; `last` is where a decoder starts.
using PointEncoder = Encoder<Variable>;

std::unique_ptr<PointEncoder> make_lstm_point_encoder(std::int64_t width, Random& random);
std::unique_ptr<PointEncoder> make_set_encoder(std::int64_t width, int steps, Random& random);

}  // namespace heed::models
