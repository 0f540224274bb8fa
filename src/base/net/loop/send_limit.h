// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/core/assert.h"

namespace parley::net {

// The limit of one connection's send queue. One message larger than the limit may be queued at a
// time; it is not counted, the bytes before and behind it are. A queue therefore holds at most the
// limit and one larger message, and a peer that reads gets messages of any size. Without this rule
// a client whose first answer exceeds the limit would be cut off at every reconnect.
class SendLimit {
 public:
  // True if `bytes` more may be queued. `written`: all bytes that the connection has queued so far;
  // `queued`: the bytes that the peer has not taken, which exceed `written` while bytes of a
  // handshake wait.
  bool admit(std::uint64_t written, std::size_t queued, std::size_t bytes, std::size_t limit) {
    PARLEY_ASSERT(large_end_ <= written, "send queue: a message was admitted up to byte " +
                                             std::to_string(large_end_) + ", and only " +
                                             std::to_string(written) + " bytes were written");
    const std::uint64_t taken = written - std::min<std::uint64_t>(written, queued);
    const std::uint64_t large = large_end_ > taken ? large_end_ - std::max(large_begin_, taken) : 0;
    PARLEY_ASSERT(large <= queued, "send queue: " + std::to_string(large) +
                                       " bytes of a large message wait, and " +
                                       std::to_string(queued) + " in all");
    // The rest of an earlier large message counts like other bytes once the queue is within the
    // limit.
    if (bytes > limit && queued <= limit) {
      large_begin_ = written;
      large_end_ = written + bytes;
      return true;
    }
    return queued - large + bytes <= limit;
  }

 private:
  std::uint64_t large_begin_ = 0;  // range of the larger message, as positions in `written`
  std::uint64_t large_end_ = 0;
};

}  // namespace parley::net
