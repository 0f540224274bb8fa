// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/result.h"

namespace parley::fake_comfyui {

// A fault injected on purpose.
struct Fault {
  enum class Kind : std::uint8_t {
    status,           // `route` answers `status`
    hang,             // `route` never answers
    lose_answer,      // `route` does its work, but never answers
    truncate,         // `route` answers half of its text
    slow,             // `route` answers after `delay`
    big_object_info,  // /object_info has at least `bytes` from now on; not counted by `times`
    refuse_socket,    // a WebSocket handshake is answered with `status`
    drop_socket,      // all WebSockets are closed after `after_events` more events
    garbage_socket,   // broken and unknown messages precede the next event
    mute_socket,      // events are not sent
    crash,            // at once: queue, history and sockets are lost, as after a restart
    reset,            // at once: removes all faults
  };
  Kind kind = Kind::status;
  std::string route;  // prefix of the pattern: "/prompt", "/history"
  int status = 500;
  core::Millis delay{0};
  std::size_t bytes = 0;
  int after_events = 0;
  int times = 1;  // number of uses; -1: until reset
};

// Reads {"fault":"status","route":"/prompt","status":503,"times":2}; the delay of "slow" is
// "delay_ms". Errors: `invalid_argument`, with the member.
core::Result<Fault> read_fault(const boost::json::object& from);

// The pending faults, at most kMaxFaults.
class FaultList {
 public:
  static constexpr std::size_t kMaxFaults = 64;

  // False if the list is full.
  bool add(Fault fault) {
    if (faults_.size() >= kMaxFaults) return false;
    faults_.push_back(std::move(fault));
    return true;
  }
  void clear() { faults_.clear(); }
  // Takes the first fault that concerns a request of `route`, and counts its use.
  std::optional<Fault> of_route(std::string_view route) {
    return take([&](const Fault& fault) {
      return fault.kind <= Fault::Kind::slow && route.starts_with(fault.route);
    });
  }
  std::optional<Fault> of_kind(Fault::Kind kind) {
    return take([&](const Fault& fault) { return fault.kind == kind; });
  }
  Fault* waiting(Fault::Kind kind) {
    for (Fault& fault : faults_) {
      if (fault.kind == kind) return &fault;
    }
    return nullptr;
  }

 private:
  template <typename Fits>
  std::optional<Fault> take(Fits fits) {
    for (auto it = faults_.begin(); it != faults_.end(); ++it) {
      if (!fits(*it)) continue;
      Fault taken = *it;
      if (it->times > 0 && --it->times == 0) faults_.erase(it);
      return taken;
    }
    return std::nullopt;
  }

  std::deque<Fault> faults_;
};

}  // namespace parley::fake_comfyui
