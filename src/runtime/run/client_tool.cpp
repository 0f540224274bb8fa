// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/client_tool.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <memory>
#include <set>
#include <utility>

#include "base/core/json_writer.h"
#include "base/core/utf8.h"
#include "runtime/agent/tool_step.h"
#include "runtime/tool/schema_form.h"

namespace parley::run {
namespace {

using core::Code;
using core::Result;

constexpr std::size_t kMaxNameBytes = 64;

core::Error wrong(const std::string& what) {
  return {Code::invalid_argument, what, "client_tools"};
}

bool is_tool_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  return !name.empty() && name.size() <= kMaxNameBytes &&
         std::all_of(name.begin(), name.end(), allowed);
}

class ClientTool final : public tool::Tool {
 public:
  ClientTool(model::ToolSpec spec, AskClient ask) : spec_(std::move(spec)), ask_(std::move(ask)) {}

  const model::ToolSpec& spec() const override { return spec_; }
  std::string source() const override { return std::string(agent::kClientSource); }

  void run(tool::ToolContext context, boost::json::object arguments, Done done) override {
    core::Scheduler& scheduler = *context.scheduler;
    scheduler.post([ask = ask_, name = spec_.name, context = std::move(context),
                    arguments = boost::json::serialize(arguments),
                    done = std::move(done)]() mutable {
      call_client(ask, context, name, arguments, std::move(done));
    });
  }

 private:
  const model::ToolSpec spec_;
  const AskClient ask_;
};

}  // namespace

tool::ToolPtr make_client_tool(model::ToolSpec spec, AskClient ask) {
  return std::make_shared<ClientTool>(std::move(spec), std::move(ask));
}

void call_client(const AskClient& ask, const tool::ToolContext& context, std::string_view name,
                 std::string_view arguments, tool::Tool::Done done) {
  session::AskRequest request{session::Authority::of_run()};
  request.key = client_call_key(context.run_id, context.call_id);
  request.kind = session::InteractionKind::client_tool_call;
  request.prompt = client_call_prompt(context, name, arguments);
  const auto shared = std::make_shared<tool::Tool::Done>(std::move(done));
  const bool asked =
      ask(std::move(request), context.cancel, [shared](Result<session::Answer> answer) {
        (*shared)(answer ? client_result(*answer)
                         : tool::ToolResult::error(answer.error().message));
      });
  if (!asked) (*shared)(tool::ToolResult::error("The run has ended."));
}

Result<void> check_client_tools(const std::vector<model::ToolSpec>& specs,
                                const tool::Toolbox& server) {
  if (specs.size() > kMaxClientTools) {
    return tl::unexpected(
        wrong("A client may offer at most " + std::to_string(kMaxClientTools) + " tools."));
  }
  std::set<std::string_view> names;
  for (const model::ToolSpec& spec : specs) {
    const std::string shown =
        '"' + std::string(core::utf8_truncate(spec.name, kMaxNameBytes)) + '"';
    if (!is_tool_name(spec.name)) {
      return tl::unexpected(
          wrong("The name of a tool must have 1 to 64 of the characters A-Z a-z 0-9 _ -; " + shown +
                " is not such a name."));
    }
    if (!names.insert(spec.name).second) {
      return tl::unexpected(wrong("The tool " + shown + " is given twice."));
    }
    if (server.find(spec.name)) {
      return tl::unexpected(
          wrong("The server already has a tool " + shown + ". Choose another name."));
    }
    if (spec.parameters.size() + spec.description.size() > kMaxClientToolBytes) {
      return tl::unexpected(wrong("The tool " + shown +
                                  " has a description and parameters of more than " +
                                  std::to_string(kMaxClientToolBytes) + " bytes."));
    }
    if (const Result<void> formed = tool::check_schema_form(spec.parameters); !formed) {
      return tl::unexpected(wrong("The schema of the tool " + shown +
                                  " is not a JSON Schema of an object: " + formed.error().message +
                                  "."));
    }
  }
  return {};
}

std::string client_call_key(std::string_view run_id, std::string_view call_id) {
  return call_key(run_id, "client", call_id);
}

session::Prompt client_call_prompt(const tool::ToolContext& context, std::string_view name,
                                   std::string_view arguments) {
  session::Prompt prompt;
  prompt.text = "Call `" + std::string(name) + "` in the client.";
  prompt.agent_name = context.agent;
  prompt.model_name = context.model;
  prompt.client_name = "parley run";
  core::JsonWriter json(prompt.detail);
  json.begin_object().key("client_tool_call").begin_object();
  json.key("name").string(name).key("arguments").raw(arguments);
  json.key("run_id").string(context.run_id).key("call_id").string(context.call_id);
  json.key("session_id").string(context.session_id);
  json.end_object().end_object();
  return prompt;
}

session::Answer client_answer(const tool::ToolResult& result) {
  session::Answer answer = core::text_answer(result.content);
  answer.is_error = result.is_error;
  return answer;
}

tool::ToolResult client_result(const session::Answer& answer) {
  std::string text;
  for (const session::Content& content : answer.contents) text += content.text;
  return {std::move(text), answer.is_error, {}};
}

}  // namespace parley::run
