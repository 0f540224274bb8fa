// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "base/net/loop/stream.h"

namespace parley::link {

// The connections of a link, as a server accepts them.
class LinkedNetwork final : public net::Network {
 public:
  class Open final : public net::Listener {
   public:
    net::Endpoint endpoint() const override { return {}; }
  };
  core::Result<std::unique_ptr<net::Listener>> listen(core::Scheduler& /*scheduler*/,
                                                      const net::Endpoint& /*at*/,
                                                      net::AcceptHandler accept) override {
    accept_ = std::move(accept);
    return std::make_unique<Open>();
  }
  void connect(core::Scheduler& /*scheduler*/, const net::Endpoint& /*to*/,
               absl::AnyInvocable<void(core::Result<std::unique_ptr<net::Stream>>)> done) override {
    done(core::fail(core::Code::unimplemented, "Nothing is connected to."));
  }
  void accept(std::unique_ptr<net::Stream> stream) { accept_(std::move(stream)); }

 private:
  net::AcceptHandler accept_;
};

}  // namespace parley::link
