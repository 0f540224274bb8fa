// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Completion in the answer to a question: files of the project that the question names, and the
// commands and skills of the asking agent.
#include <utility>

#include "base/net/http/guest_obstacle.h"
#include "dialects/api/handlers.h"
#include "model/session/interaction.h"
#include "runtime/tool/file/path_finder.h"

namespace parley::api {
namespace {

constexpr std::size_t kMaxPathQueryBytes = 256;

// The folders that this caller may complete; std::nullopt: all of this computer. An agent chooses
// the folder of its question, so a caller from elsewhere needs the operator's consent.
std::optional<std::vector<std::string>> allowed_folders(const Context& context,
                                                        const net::Request& request) {
  // The address of a request that another node has passed on is what that node's computer calls it.
  const bool is_here = request.hops == 0 && !net::guest_obstacle(request);
  return is_here ? std::nullopt : std::optional(context.project_folders);
}

void write_path(core::JsonWriter& json, const tool::FoundPath& found) {
  json.key("path").string(found.path).key("folder").boolean(found.folder);
}

void write_command(core::JsonWriter& json, const tool::AgentCommand& command) {
  json.key("name").string(command.name).key("path").string(command.path);
  json.key("kind").string(command.skill ? "skill" : "command");
  json.key("description").string(command.description);
}

// Sends `found` (Result<std::vector<T>>) as an array with this name.
template <typename T, typename Write>
auto sending(Call call, std::string_view name, Write write) {
  return [call = std::move(call), name, write](const core::Result<std::vector<T>>& found) mutable {
    if (!found) return send_error(call, found.error());
    send_object(call, 200, [&](core::JsonWriter& json) { json.key(name).objects(*found, write); });
  };
}

void find_paths(const Context& context, Call call, session::Prompt prompt) {
  std::string query = call.request.query_param("q").value_or("");
  if (query.size() > kMaxPathQueryBytes) {
    return send_error(call, {core::Code::invalid_argument, "q must be at most 256 bytes.", "q"});
  }
  auto within = allowed_folders(context, call.request);
  core::Scheduler& home = call.responder.scheduler();
  context.paths->find(std::move(prompt.project_directory), std::move(query), std::move(within),
                      home, sending<tool::FoundPath>(std::move(call), "paths", write_path));
}

void find_commands(const Context& context, Call call, session::Prompt prompt) {
  auto within = allowed_folders(context, call.request);
  core::Scheduler& home = call.responder.scheduler();
  std::string client = prompt.client_name.empty() ? prompt.agent_name : prompt.client_name;
  context.paths->find_commands(
      std::move(prompt.project_directory), std::move(client), std::move(within), home,
      sending<tool::AgentCommand>(std::move(call), "commands", write_command));
}

// Calls `use` (void(const Context&, Call, session::Prompt)) with the question that has this key.
template <typename Use>
void with_prompt(const Context& context, Call call, const std::string& key, Use use) {
  if (context.paths == nullptr) {
    return send_error(call, {core::Code::not_found, "This server completes nothing.", {}});
  }
  std::string session = call.request.query_param("session").value_or("");
  with_owned_session(
      context, std::move(call), std::move(session),
      [&context, key, use](Call found, event::SessionRow row) {
        core::Scheduler& scheduler = found.responder.scheduler();
        find_interaction(
            context, row, key, scheduler,
            [&context, use, call = std::move(found)](
                core::Result<std::optional<event::StoredInteraction>> stored) mutable {
              if (!stored) return send_error(call, stored.error());
              if (!stored->has_value()) {
                return send_error(call,
                                  {core::Code::not_found, "No interaction has this key.", "key"});
              }
              auto asked = session::interaction_from_payloads((*stored)->opened_payload, {});
              if (!asked) return send_error(call, asked.error());
              use(context, std::move(call), std::move(asked->prompt));
            });
      });
}

}  // namespace

void complete_path(const Context& context, Call call, const std::string& key) {
  with_prompt(context, std::move(call), key, find_paths);
}

void list_commands(const Context& context, Call call, const std::string& key) {
  with_prompt(context, std::move(call), key, find_commands);
}

}  // namespace parley::api
