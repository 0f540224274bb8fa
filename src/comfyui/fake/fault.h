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

#include "core/clock.h"
#include "core/result.h"

namespace parley::fake_comfyui {

// Something that goes wrong on purpose.
struct Fault {
  enum class Kind : std::uint8_t {
    status,           // `route` answers `status`
    hang,             // `route` never answers
    lose_answer,      // `route` does its work and never answers
    truncate,         // `route` answers half of its text
    slow,             // `route` answers `delay` later
    big_object_info,  // /object_info has at least `bytes` from now on; not counted by `times`
    refuse_socket,    // a WebSocket is answered `status`
    drop_socket,      // all WebSockets are closed after `after_events` more events
    garbage_socket,   // before the next event come broken and unknown messages
    mute_socket,      // events are not sent
    crash,            // at once: queue, history and sockets are gone, as after a restart
    reset,            // at once: no fault is left
  };
  Kind kind = Kind::status;
  std::string route;  // how the pattern begins: "/prompt", "/history"
  int status = 500;
  core::Millis delay{0};
  std::size_t bytes = 0;
  int after_events = 0;
  int times = 1;  // how often; -1: until reset
};

// {"fault":"status","route":"/prompt","status":503,"times":2}; times of "slow" as "delay_ms".
// Errors: `invalid_argument`, with the member.
core::Result<Fault> read_fault(const boost::json::object& from);

// The faults that wait for their turn, at most kMaxFaults.
class FaultList {
 public:
  static constexpr std::size_t kMaxFaults = 64;

  // False: the list is full.
  bool add(Fault fault) {
    if (faults_.size() >= kMaxFaults) return false;
    faults_.push_back(std::move(fault));
    return true;
  }
  void clear() { faults_.clear(); }
  // The first that concerns a request of `route`, counted as used.
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
