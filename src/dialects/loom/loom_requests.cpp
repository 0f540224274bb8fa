// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Requests of a Loom connection that are not about runs.
#include <algorithm>
#include <utility>

#include "dialects/loom/loom_answer.h"
#include "dialects/loom/loom_connection.h"
#include "dialects/loom/message_sync.h"
#include "dialects/loom/tool_yaml.h"

namespace parley::loom {
namespace {

constexpr std::uint64_t kDefaultMessages = 100;
// Limit (The Loom stream): rows of a page of `user_messages`. Reached: `has_more`.
constexpr std::uint64_t kMaxMessages = 1'000;

void write_tool(core::JsonWriter& json, const model::ToolSpec& spec) {
  json.begin_object().key("name").string(spec.name);
  json.key("description").string(spec.description);
  json.key("input_schema").raw(spec.parameters).end_object();
}

void write_workspace(core::JsonWriter& json, const Workspace& workspace) {
  json.begin_object().key("id").string(workspace.id);
  if (workspace.name) json.key("name").string(*workspace.name);
  json.key("created_at_ms").number(workspace.created_at_ms).end_object();
}

std::string folder_in(runtime::EventFields& in) {
  in.optional_text("thread_id");
  return in.optional_text("working_folder").value_or("");
}

}  // namespace

void LoomConnection::ping(const std::string& id, runtime::EventFields& /*in*/) {
  send(LoomAnswer("pong", id).finish());
}

// --- tools and models ---------------------------------------------------------------------------

void LoomConnection::tools_list(const std::string& id, runtime::EventFields& in) {
  std::string folder = folder_in(in);
  if (refused(id, in)) return;
  context_.runs().tools(
      {std::move(folder), caller_.rights.has(auth::Right::admin)}, scheduler(),
      answering<tool::Toolbox>(
          id, "tools_list", [id](LoomConnection& self, const core::Result<tool::Toolbox>& tools) {
            LoomAnswer answer("tools_list", id);
            answer.json().key("tools").begin_array();
            for (const model::ToolSpec& spec : tools->specs()) {
              write_tool(answer.json(), spec);
            }
            answer.json().end_array();
            self.send(answer.finish());
          }));
}

void LoomConnection::tool_show(const std::string& id, runtime::EventFields& in) {
  std::string name = in.text("name");
  const std::string output = in.optional_text("output").value_or("json");
  std::string folder = folder_in(in);
  if (refused(id, in)) return;
  if (output != "json" && output != "yaml") {
    return refuse(id, "parse error: \"output\" must be \"json\" or \"yaml\".");
  }
  context_.runs().tools(
      {std::move(folder), caller_.rights.has(auth::Right::admin)}, scheduler(),
      answering<tool::Toolbox>(id, "tool_show",
                               [id, name = std::move(name), yaml = output == "yaml"](
                                   LoomConnection& self, const core::Result<tool::Toolbox>& tools) {
                                 const tool::ToolPtr tool = tools->find(name);
                                 if (!tool) return self.refuse(id, "tool not found: " + name);
                                 LoomAnswer answer("tool_show", id);
                                 if (yaml) {
                                   answer.text("tool_yaml", tool_yaml(tool->spec()));
                                 } else {
                                   answer.json().key("tool");
                                   write_tool(answer.json(), tool->spec());
                                 }
                                 self.send(answer.finish());
                               }));
}

void LoomConnection::agent_list(const std::string& id, runtime::EventFields& in) {
  std::string filter = in.optional_text("source_filter").value_or("");
  std::string folder = folder_in(in);
  if (refused(id, in)) return;
  if (!filter.empty() && filter != "builtin" && filter != "project" && filter != "user") {
    return refuse(id, "parse error: \"source_filter\" must be builtin, project or user.");
  }
  context_.runs().profiles(
      {std::move(folder), caller_.rights.has(auth::Right::admin)}, scheduler(),
      answering<agent::Profiles>(
          id, "agent_list",
          [id, filter = std::move(filter)](LoomConnection& self,
                                           const core::Result<agent::Profiles>& profiles) {
            LoomAnswer answer("agent_list", id);
            answer.json().key("agents").begin_array();
            for (const agent::Profile& profile : profiles->all()) {
              if (!filter.empty() && profile.source != filter) continue;
              answer.json().begin_object().key("name").string(profile.name);
              if (!profile.description.empty()) {
                answer.json().key("description").string(profile.description);
              }
              answer.json().key("source").string(profile.source).end_object();
            }
            answer.json().end_array();
            self.send(answer.finish());
          }));
}

namespace {

// The default first, the demonstration last: a client that lets nobody choose takes the first. The
// default has an entry even if its provider does not list it now.
std::vector<model::ModelInfo> in_order_of_choice(std::vector<model::ModelInfo> models,
                                                 const std::string& default_id) {
  const auto rank = [&default_id](const model::ModelInfo& model) {
    if (model.id == default_id) return 0;
    return model.demonstration ? 2 : 1;
  };
  std::stable_sort(models.begin(), models.end(), [&rank](const auto& left, const auto& right) {
    return rank(left) < rank(right);
  });
  const bool lists_default = !models.empty() && models.front().id == default_id;
  const std::size_t slash = default_id.find('/');
  if (!lists_default && slash != std::string::npos) {
    model::ModelInfo unlisted;
    unlisted.id = default_id;
    unlisted.name = default_id.substr(slash + 1);
    unlisted.provider = default_id.substr(0, slash);
    models.insert(models.begin(), std::move(unlisted));
  }
  return models;
}

}  // namespace

void LoomConnection::list_models(const std::string& id, runtime::EventFields& /*in*/) {
  auto answer = answering<model::ModelRegistry::Listing>(
      [id](LoomConnection& self, const core::Result<model::ModelRegistry::Listing>& listing) {
        LoomAnswer out("list_models", id);
        out.json().key("models").begin_array();
        const model::ModelRegistry& registry = self.context_.runs().models();
        for (const model::ModelInfo& model :
             in_order_of_choice(listing->models, registry.default_id())) {
          out.json().begin_object().key("id").string(model.id).key("name").string(model.name);
          out.json().key("provider").string(model.provider).end_object();
        }
        out.json().end_array();
        self.send(out.finish());
      });
  context_.runs().models().list(
      scheduler(), [answer = std::move(answer)](model::ModelRegistry::Listing listing) mutable {
        answer(std::move(listing));
      });
}

void LoomConnection::set_model(const std::string& id, runtime::EventFields& in) {
  std::string model = in.text("model_id");
  std::string session = in.optional_text("session_id").value_or("");
  if (refused(id, in)) return;
  const auto answer = [id](LoomConnection& self, const core::Result<void>& set) {
    LoomAnswer out("set_model", id);
    out.json().key("success").boolean(set.has_value());
    if (!set) out.text("error", set.error().message);
    self.send(out.finish());
  };
  if (!session.empty()) {
    context_.runs().set_model(caller_.owner, std::move(session), std::move(model), scheduler(),
                              answering<void>(answer));
    return;
  }
  // A request without a session sets the model of this connection's runs.
  const auto found = context_.runs().models().find(model);
  if (!found) return answer(*this, core::fail(found.error()));
  model_ = (*found)->id();
  answer(*this, {});
}

// --- threads and workspaces ----------------------------------------------------------------------

WorkspaceStore* LoomConnection::workspaces(const std::string& id) {
  if (context_.workspaces() == nullptr) {
    refuse(id, "workspace store not configured (set WORKSPACE_DB)");
  }
  return context_.workspaces();
}

void LoomConnection::user_messages(const std::string& id, runtime::EventFields& in) {
  std::string thread = in.optional_text("thread_id").value_or("");
  const auto row_of = [&in](std::string_view name) -> std::optional<std::int64_t> {
    const std::optional<std::uint64_t> count = in.optional_count(name);
    if (!count) return std::nullopt;
    return static_cast<std::int64_t>(std::min<std::uint64_t>(*count, INT64_MAX));
  };
  const MessagePlace place{row_of("after").value_or(0), row_of("before")};
  const std::uint64_t limit = std::clamp<std::uint64_t>(
      in.optional_count("limit").value_or(kDefaultMessages), 1, kMaxMessages);
  if (refused(id, in)) return;
  if (thread.empty()) return refuse(id, "thread_id is required");
  if (workspaces(id) == nullptr) return;
  read_messages(context_, caller_.owner, thread, place, limit, scheduler(),
                answering<MessagePage>(
                    id, "user_messages",
                    [id, thread, back = place.before.has_value()](
                        LoomConnection& self, const core::Result<MessagePage>& page) {
                      LoomAnswer answer("user_messages", id);
                      answer.text("thread_id", thread).json().key("messages").begin_array();
                      for (const LoggedMessage& message : page->messages) {
                        answer.json().begin_object().key("role").string(message.role);
                        answer.json().key("content").string(message.content).end_object();
                      }
                      answer.json().end_array().key("has_more").boolean(page->more);
                      if (page->more && back) {
                        answer.json().key("next_before").number(page->messages.front().id);
                      } else if (page->more) {
                        answer.json().key("next_after").number(page->messages.back().id);
                      }
                      self.send(answer.finish());
                    }));
}

void LoomConnection::workspace_list(const std::string& id, runtime::EventFields& /*in*/) {
  WorkspaceStore* store = workspaces(id);
  if (store == nullptr) return;
  store->list(caller_.owner, scheduler(),
              answering<std::vector<Workspace>>(
                  id, "workspace_list",
                  [id](LoomConnection& self, const core::Result<std::vector<Workspace>>& all) {
                    LoomAnswer answer("workspace_list", id);
                    answer.json().key("workspaces").begin_array();
                    for (const Workspace& one : *all) write_workspace(answer.json(), one);
                    answer.json().end_array();
                    self.send(answer.finish());
                  }));
}

void LoomConnection::workspace_create(const std::string& id, runtime::EventFields& in) {
  std::optional<std::string> name = in.optional_text("name");
  if (refused(id, in)) return;
  WorkspaceStore* store = workspaces(id);
  if (store == nullptr) return;
  store->create(
      caller_.owner, std::move(name), scheduler(),
      answering<Workspace>(id, "workspace_create",
                           [id](LoomConnection& self, const core::Result<Workspace>& created) {
                             LoomAnswer answer("workspace_create", id);
                             answer.text("workspace_id", created->id).json().key("workspace");
                             write_workspace(answer.json(), *created);
                             self.send(answer.finish());
                           }));
}

void LoomConnection::workspace_rename(const std::string& id, runtime::EventFields& in) {
  std::string workspace = in.text("workspace_id");
  std::string name = in.text("name");
  if (refused(id, in)) return;
  WorkspaceStore* store = workspaces(id);
  if (store == nullptr) return;
  store->rename(
      caller_.owner, std::move(workspace), std::move(name), scheduler(),
      answering<Workspace>(id, "workspace_rename",
                           [id](LoomConnection& self, const core::Result<Workspace>& renamed) {
                             LoomAnswer answer("workspace_rename", id);
                             answer.text("workspace_id", renamed->id);
                             self.send(answer.text("name", renamed->name.value_or("")).finish());
                           }));
}

void LoomConnection::workspace_thread_list(const std::string& id, runtime::EventFields& in) {
  std::string workspace = in.text("workspace_id");
  if (refused(id, in)) return;
  WorkspaceStore* store = workspaces(id);
  if (store == nullptr) return;
  store->threads(caller_.owner, workspace, scheduler(),
                 answering<std::vector<WorkspaceThread>>(
                     id, "workspace_thread_list",
                     [id, workspace](LoomConnection& self,
                                     const core::Result<std::vector<WorkspaceThread>>& all) {
                       LoomAnswer answer("workspace_thread_list", id);
                       answer.text("workspace_id", workspace).json().key("threads").begin_array();
                       for (const WorkspaceThread& one : *all) {
                         answer.json().begin_object().key("thread_id").string(one.thread_id);
                         answer.json().key("created_at_ms").number(one.created_at_ms).end_object();
                       }
                       answer.json().end_array();
                       self.send(answer.finish());
                     }));
}

void LoomConnection::workspace_thread_add(const std::string& id, runtime::EventFields& in) {
  std::string workspace = in.text("workspace_id");
  std::string thread = in.text("thread_id");
  if (refused(id, in)) return;
  if (thread.empty()) return refuse(id, "thread_id is required");
  WorkspaceStore* store = workspaces(id);
  if (store == nullptr) return;
  store->add_thread(caller_.owner, workspace, thread, scheduler(),
                    answering<void>(id, "workspace_thread_add",
                                    [id, workspace, thread](LoomConnection& self, const auto&) {
                                      LoomAnswer answer("workspace_thread_add", id);
                                      answer.text("workspace_id", workspace);
                                      self.send(answer.text("thread_id", thread).finish());
                                    }));
}

void LoomConnection::workspace_thread_remove(const std::string& id, runtime::EventFields& in) {
  std::string workspace = in.text("workspace_id");
  std::string thread = in.text("thread_id");
  if (refused(id, in)) return;
  WorkspaceStore* store = workspaces(id);
  if (store == nullptr) return;
  store->remove_thread(caller_.owner, workspace, thread, scheduler(),
                       answering<void>(id, "workspace_thread_remove",
                                       [id, workspace, thread](LoomConnection& self, const auto&) {
                                         LoomAnswer answer("workspace_thread_remove", id);
                                         answer.text("workspace_id", workspace);
                                         self.send(answer.text("thread_id", thread).finish());
                                       }));
}

}  // namespace parley::loom
