// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Events of agents that a hook can only watch: Gemini CLI, Goose and Cline.
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "agents/hook/event_parts.h"
#include "agents/hook/request_text.h"

namespace parley::hook {

namespace json = boost::json;

core::Result<HookEvent> read_gemini(const json::object& in) {
  HookEvent event;
  event.agent = Agent::gemini;
  event.name = text_of(in, "hook_event_name");
  event.session = text_of(in, "session_id");
  event.directory = text_of(in, "cwd");
  if (event.name == "AfterAgent") {
    event.kind = HookKind::finished;
    event.text = text_of(in, "prompt_response");
    return event;
  }
  if (event.name != "Notification") return core::fail(refused("unknown event"));
  if (text_of(in, "notification_type") != "ToolPermission") {
    return core::fail(refused("a notification of another type"));
  }
  event.kind = HookKind::notice;
  event.notice_kind = "waiting";
  event.text = text_of(in, "message");
  if (const json::object* details = object_in(in, "details"); details && !details->empty()) {
    event.text += "\n" + fenced("json", json::serialize(*details));
  }
  return event;
}

core::Result<HookEvent> read_goose(const json::object& in) {
  HookEvent event;
  event.agent = Agent::goose;
  event.name = text_of(in, "event");
  event.session = text_of(in, "session_id");
  event.directory = text_of(in, "working_dir");
  if (event.name != "Stop") return core::fail(refused("unknown event"));
  event.kind = HookKind::finished;
  return event;
}

namespace {

// The end of a turn in Cline's command line, which runs the program of TaskComplete.
core::Result<HookEvent> read_cline_end(HookEvent event, const json::object& in) {
  const json::object* turn = object_in(in, "turn");
  const std::string status = turn == nullptr ? std::string() : text_of(*turn, "status");
  if (!text_of(in, "parent_agent_id").empty()) event.agent_id = text_of(in, "agent_id");
  if (status == "completed") {
    event.kind = HookKind::finished;
    event.text = text_of(*turn, "outputText");
    return event;
  }
  if (status != "failed" && status != "error") {
    return core::fail(refused("the turn has not ended by itself"));
  }
  event.kind = HookKind::notice;
  event.notice_kind = "failed";
  event.text = "The turn has failed";
  return event;
}

}  // namespace

core::Result<HookEvent> read_cline(const json::object& in) {
  HookEvent event;
  event.agent = Agent::cline;
  event.name = text_of(in, "hookName");
  event.session = text_of(in, "taskId");
  event.directory = first_text_of(in, "workspaceRoots");
  if (event.name == "TaskComplete") {  // of the editor
    event.kind = HookKind::finished;
    return event;
  }
  if (event.name == "agent_end") return read_cline_end(std::move(event), in);
  if (event.name != "Notification") return core::fail(refused("unknown event"));
  event.kind = HookKind::notice;
  event.notice_kind = "waiting";
  if (const json::object* said = object_in(in, "notification")) {
    event.text = text_of(*said, "message");
  }
  return event;
}

}  // namespace parley::hook
