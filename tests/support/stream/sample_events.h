// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/event/event.h"
#include "runtime/stream/event_reader.h"
#include "runtime/stream/run_event.h"

// One event of every type, for tests.
namespace parley::runtime {

inline std::vector<runtime::RunEvent> sample_events() {
  using namespace runtime;
  return {
      RunStart{"run-1", "Hello", "react"},
      NodeEnter{"think"},
      NodeExit{"think", std::nullopt},
      NodeExit{"act", "it \"broke\""},
      MessageChunk{"I\tsee\n", "think"},
      ThoughtChunk{"hm", "think"},
      Usage{100, 62, 162},
      Values{R"({"messages":[{"User":"hi"}]})"},
      Updates{"think", R"({"turn_count":1})"},
      Custom{R"({"progress":0.5})"},
      Checkpoint{"c1", "1700000000000", 3, R"({"a":1})", "s1", std::nullopt, "act"},
      TotExpand{{"a", "b"}},
      TotEvaluate{1, {0.25, 0.9}},
      TotBacktrack{"tool error", 2},
      GotPlan{2, 1, {"x", "y"}},
      GotNodeStart{"x"},
      GotNodeComplete{"x", "done"},
      GotNodeFailed{"y", "no"},
      GotExpand{"x", 2, 3},
      ToolCallChunk{"call_1", "read", "{\"pa"},
      ToolCallMade{"call_1", "read", R"({"path":"a.txt"})"},
      ToolStart{"call_1", "read"},
      ToolOutput{"call_1", "read", "part"},
      ToolEnd{"call_1", "read", "text", false, "all of the text"},
      ToolApproval{"call_1", "bash", R"({"command":"ls"})"},
  };
}

inline event::Event stored(const runtime::RunEvent& it, std::uint64_t seq = 7,
                           std::string_view node_id = "run-think-0") {
  event::Event out;
  out.session = "s1";
  out.seq = seq;
  out.at = core::from_unix_ms(1'700'000'000'123);
  out.direction = "out";
  out.type = std::string(runtime::type_name(it));
  out.payload = runtime::stored_payload(it, node_id);
  return out;
}

// The event as its watchers get it while it is new.
inline event::Event live(const runtime::RunEvent& it, std::uint64_t seq = 7) {
  event::Event out = stored(it, seq);
  out.live = live_form(it, out.payload);
  return out;
}

inline event::Event stored_reply(std::string payload, std::uint64_t seq = 9) {
  event::Event out;
  out.session = "s1";
  out.seq = seq;
  out.at = core::from_unix_ms(1'700'000'000'456);
  out.type = "reply";
  out.payload = std::move(payload);
  return out;
}

}  // namespace parley::runtime
