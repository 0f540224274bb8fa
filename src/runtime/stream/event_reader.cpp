// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/event_reader.h"

#include <memory>
#include <utility>

#include "runtime/stream/frame.h"

namespace parley::runtime {
namespace {

// The character by which a writer of JSON replaces what is not UTF-8.
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

class LiveEvent final : public event::Live {
 public:
  // Each text of the event is in its payload too.
  LiveEvent(RunEvent event, std::size_t payload_bytes)
      : Live(sizeof(LiveEvent) + payload_bytes), event_(std::move(event)) {}

  const RunEvent& event() const { return event_; }

 private:
  const RunEvent event_;
};

// Gives an event the form in which the parser returns it.
struct AsParsed {
  void operator()(Custom& it) const {
    blank_controls(it.value);
    it.usage.reset();
  }
  void operator()(ToolCallMade& it) const { blank_controls(it.arguments); }
  void operator()(ToolApproval& it) const {
    blank_controls(it.arguments);
    blank_controls(it.explanation);
  }
  template <typename Other>
  void operator()(Other& /*it*/) const {}
};

}  // namespace

event::LivePtr live_form(RunEvent event, std::string_view payload) {
  if (is_state(type_name(event)) || payload.find(kReplacement) != std::string_view::npos)
    return nullptr;
  std::visit(AsParsed{}, event);
  return std::make_shared<const LiveEvent>(std::move(event), payload.size());
}

EventReader::Read EventReader::read(const event::Event& event) {
  if (const auto* live = dynamic_cast<const LiveEvent*>(event.live.get())) {
    return {&live->event(), nullptr};
  }
  auto line = parser_.parse(event.payload);
  if (!line) return {};
  parsed_ = std::move(line->body);
  return {std::get_if<RunEvent>(&parsed_), std::get_if<Reply>(&parsed_)};
}

}  // namespace parley::runtime
