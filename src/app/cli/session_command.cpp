// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/session_command.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string_view>
#include <vector>

#include "app/cli/host_client.h"
#include "app/cli/pretty_json.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "base/core/json_member.h"
#include "base/core/percent.h"
#include "base/core/time_text.h"

namespace parley::app {
namespace {

namespace json = boost::json;

constexpr std::string_view kSessionsPath = "/v1/run-sessions";
constexpr std::string_view kSessionsPage = "limit=200";

std::string count_text(const json::object& from, std::string_view name) {
  return std::to_string(from.at(name).to_number<std::int64_t>());
}

std::string time_text(const json::object& from, std::string_view name) {
  return core::time_text(core::from_unix_ms(from.at(name).to_number<std::int64_t>()));
}

// Copies the members of the contract (section 1.6), in the contract's order.
json::object session_form(const json::object& session) {
  json::object out;
  for (const char* name :
       {"session_id", "checkpoint_count", "created_at", "last_updated", "latest_step",
        "latest_source", "message_count", "first_user_message", "last_assistant_reply"}) {
    if (const json::value* value = session.if_contains(name)) out[name] = *value;
  }
  return out;
}

core::Result<json::array> all_sessions(HostClient& client) {
  json::array all;
  while (true) {
    std::string path = std::string(kSessionsPath) + "?" + std::string(kSessionsPage);
    if (!all.empty()) {
      path += "&before=" +
              core::percent_encoded(core::string_member(all.back().as_object(), "session_id"));
    }
    const auto page = client.call("GET", path);
    if (!page) return core::fail(page.error());
    const json::object& object = page->as_object();
    const json::array& sessions = object.at("sessions").as_array();
    all.insert(all.end(), sessions.begin(), sessions.end());
    if (sessions.empty() || !object.at("more").as_bool()) return all;
  }
}

std::string session_row(const std::vector<std::string>& cells, std::size_t width) {
  std::string first = cells.front();
  first.resize(std::max(width, first.size()), ' ');
  std::string out = first;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    std::string cell = cells[i];
    const std::size_t wide = i < 3 ? 20 : 11;
    cell.resize(std::max(cell.size(), wide), ' ');
    out += "  " + cell;
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out + "\n";
}

std::string session_lines(const json::array& sessions) {
  if (sessions.empty()) return "There are no sessions. `parley run` starts one.\n";
  std::size_t width = 7;
  for (const json::value& session : sessions) {
    width = std::max(width, core::string_member(session.as_object(), "session_id").size());
  }
  std::string out = session_row({"SESSION", "UPDATED", "CREATED", "CHECKPOINTS", "STEP"}, width);
  for (const json::value& each : sessions) {
    const json::object& session = each.as_object();
    out +=
        session_row({core::string_member(session, "session_id"), time_text(session, "last_updated"),
                     time_text(session, "created_at"), count_text(session, "checkpoint_count"),
                     count_text(session, "latest_step")},
                    width);
  }
  return out;
}

std::string session_text(const json::object& session) {
  std::string out = "session:      " + core::string_member(session, "session_id") + "\n";
  out += "created:      " + time_text(session, "created_at") + "\n";
  out += "updated:      " + time_text(session, "last_updated") + "\n";
  out += "runs:         " + count_text(session, "runs") + "\n";
  out += "checkpoints:  " + count_text(session, "checkpoint_count") + ", the last at step " +
         count_text(session, "latest_step") + "\n";
  out += "messages:     " + count_text(session, "message_count") + "\n";
  out += "first said:   " + core::string_member(session, "first_user_message") + "\n";
  const std::string reply = core::string_member(session, "last_assistant_reply");
  return out + "last reply:   " + (reply.empty() ? "none yet" : reply) + "\n";
}

std::string session_path(const std::string& id) {
  return std::string(kSessionsPath) + "/" + core::percent_encoded(id);
}

int complain_session(const std::string& id, const core::Error& error) {
  if (error.code == core::Code::not_found) {
    complain({"There is no session \"" + id + "\".", error.message,
              "`parley session list` lists the sessions."});
    return kExitFailure;
  }
  return complain_call("The session \"" + id + "\" cannot be read.", error,
                       "`parley session list` lists the sessions.");
}

}  // namespace

int list_run_sessions(const Settings& settings, bool json) {
  const auto client = HostClient::open(settings);
  if (!client) return client.error();
  const auto sessions = all_sessions(**client);
  if (!sessions) return complain_call("The sessions cannot be listed.", sessions.error());
  if (!json) return print_text(session_lines(*sessions)) ? kExitOk : kExitFailure;
  json::array out;
  for (const json::value& session : *sessions) out.push_back(session_form(session.as_object()));
  return print(pretty_json(out)) ? kExitOk : kExitFailure;
}

int show_run_session(const Settings& settings, const std::string& id, bool json) {
  const auto client = HostClient::open(settings);
  if (!client) return client.error();
  const auto session = (*client)->call("GET", session_path(id));
  if (!session) return complain_session(id, session.error());
  const json::object& object = session->as_object();
  const bool written =
      json ? print(pretty_json(session_form(object))) : print_text(session_text(object));
  return written ? kExitOk : kExitFailure;
}

int delete_run_session(const Settings& settings, const std::string& id, bool json) {
  const auto client = HostClient::open(settings);
  if (!client) return client.error();
  const auto deleted = (*client)->call("DELETE", session_path(id));
  if (!deleted && deleted.error().code == core::Code::aborted) {
    complain({"The session \"" + id + "\" was not deleted.", deleted.error().message,
              "Try again when none of its runs is active."});
    return kExitFailure;
  }
  if (!deleted) return complain_session(id, deleted.error());
  const json::object& object = deleted->as_object();
  const bool written =
      print(json ? pretty_json(object)
                 : "The session " + id + " was deleted, with " +
                       count_text(object, "deleted_checkpoints") + " checkpoints.\n");
  return written ? kExitOk : kExitFailure;
}

}  // namespace parley::app
