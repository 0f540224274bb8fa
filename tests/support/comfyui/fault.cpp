// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/comfyui/fault.h"

#include <array>
#include <utility>

namespace parley::fake_comfyui {
namespace {

using Kind = Fault::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 12> kFaultNames = {{
    {"status", Kind::status},
    {"hang", Kind::hang},
    {"lose_answer", Kind::lose_answer},
    {"truncate", Kind::truncate},
    {"slow", Kind::slow},
    {"big_object_info", Kind::big_object_info},
    {"refuse_socket", Kind::refuse_socket},
    {"drop_socket", Kind::drop_socket},
    {"garbage_socket", Kind::garbage_socket},
    {"mute_socket", Kind::mute_socket},
    {"crash", Kind::crash},
    {"reset", Kind::reset},
}};

constexpr std::int64_t kMostBytes = 16 << 20;
constexpr std::int64_t kMostDelay = 600'000;

tl::unexpected<core::Error> bad_fault(std::string message, std::string field) {
  return core::fail(core::Code::invalid_argument, std::move(message), std::move(field));
}

core::Result<std::int64_t> number_in(const boost::json::object& from, std::string_view name,
                                     std::int64_t otherwise, std::int64_t least,
                                     std::int64_t most) {
  const boost::json::value* found = from.if_contains(name);
  if (found == nullptr) return otherwise;
  if (!found->is_int64() || found->get_int64() < least || found->get_int64() > most) {
    return bad_fault(
        "A number from " + std::to_string(least) + " to " + std::to_string(most) + " is expected.",
        std::string(name));
  }
  return found->get_int64();
}

}  // namespace

core::Result<Fault> read_fault(const boost::json::object& from) {
  const boost::json::value* named = from.if_contains("fault");
  if (named == nullptr || !named->is_string()) return bad_fault("A fault is named.", "fault");
  Fault fault;
  bool known = false;
  for (const auto& [name, kind] : kFaultNames) {
    if (named->get_string() != name) continue;
    fault.kind = kind;
    known = true;
  }
  if (!known) return bad_fault("There is no such fault.", "fault");
  if (const boost::json::value* route = from.if_contains("route")) {
    if (!route->is_string()) return bad_fault("A path is expected.", "route");
    fault.route = std::string(route->get_string());
  }
  const auto status = number_in(from, "status", 500, 400, 599);
  const auto delay = number_in(from, "delay_ms", 0, 0, kMostDelay);
  const auto bytes = number_in(from, "bytes", 0, 0, kMostBytes);
  const auto after = number_in(from, "after_events", 0, 0, 1'000'000);
  const auto times = number_in(from, "times", 1, -1, 1'000'000);
  for (const auto* number : {&status, &delay, &bytes, &after, &times}) {
    if (!*number) return core::fail(number->error());
  }
  fault.status = static_cast<int>(*status);
  fault.delay = core::Millis(*delay);
  fault.bytes = static_cast<std::size_t>(*bytes);
  fault.after_events = static_cast<int>(*after);
  fault.times = static_cast<int>(*times);
  return fault;
}

}  // namespace parley::fake_comfyui
