// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/external_agent/relay_frames.h"

#include "base/core/json_writer.h"

namespace parley::external_agent {
namespace {

using core::JsonWriter;

// Appends `{"v":...,"type":...,"replyTo":...,"payload":`; the caller appends the payload and "}".
void append_head(std::string& out, std::string_view type, std::string_view reply_to) {
  out += R"({"v":"mvp-0.2","type":")";
  out += type;
  out.push_back('"');
  if (!reply_to.empty()) {
    out += ",\"replyTo\":";
    out += reply_to;
  }
  out += ",\"payload\":";
}

}  // namespace

std::string_view hello_frame() {
  return R"({"v":"mvp-0.2","type":"relay.hello",)"
         R"("payload":{"message":"Send relay.join with role=host|agent"}})";
}

void append_error(std::string& out, RelayError error, std::string_view reply_to) {
  append_head(out, "error", reply_to);
  JsonWriter json(out);
  json.begin_object();
  json.key("code").string(error.code);
  json.key("message").string(error.message);
  json.end_object();
  out.push_back('}');
}

void append_joined(std::string& out, RelayRole role, std::string_view session,
                   std::string_view client_name, std::string_view reply_to) {
  append_head(out, "relay.joined", reply_to);
  JsonWriter json(out);
  json.begin_object();
  json.key("role").string(role_name(role));
  json.key("sessionId").string(session);
  if (role == RelayRole::agent) json.key("clientName").string(client_name);
  json.end_object();
  out.push_back('}');
}

void append_session_ended(std::string& out, std::string_view reply_to, std::string_view payload) {
  append_head(out, "session.ended", reply_to);
  out += payload;
  out.push_back('}');
}

void append_session_ended_payload(std::string& out, std::string_view session,
                                  std::string_view log_file, bool state_reset) {
  JsonWriter json(out);
  json.begin_object();
  json.key("sessionId").string(session);
  if (!log_file.empty()) json.key("logFile").string(log_file);
  json.key("stateReset").boolean(state_reset);
  json.end_object();
}

void append_presence(std::string& out, std::string_view session, bool host_active,
                     const std::vector<AgentName>& agents, bool full_history) {
  append_head(out, "relay.presence", {});
  JsonWriter json(out);
  json.begin_object();
  json.key("sessionId").string(session);
  json.key("hostActive").boolean(host_active);
  json.key("agentCount").number(static_cast<std::uint64_t>(agents.size()));
  json.key("agents").begin_array();
  for (const AgentName& agent : agents) {
    json.begin_object();
    json.key("id").string(agent.id);
    json.key("name").string(agent.name);
    json.end_object();
  }
  json.end_array();
  json.key("fullHistory").boolean(full_history);
  json.end_object();
  out.push_back('}');
}

}  // namespace parley::external_agent
