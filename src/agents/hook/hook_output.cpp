// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/hook/hook_output.h"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "base/core/json_writer.h"

namespace parley::hook {
namespace {

namespace json = boost::json;

// Agents cut longer texts themselves, in the middle of their JSON.
std::string reason_of(std::string_view text) {
  std::size_t at = 0;
  for (std::size_t count = 0; at < text.size() && count < kMaxReasonChars; ++count) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U) ++at;
  }
  return std::string(text.substr(0, at));
}

std::string denial_of(const HookEvent& event, const Decision& decision) {
  if (!decision.text.empty()) return reason_of(decision.text);
  return event.kind == HookKind::plan ? "The person wants you to keep planning."
                                      : "The person denied this.";
}

bool denies(const Decision& decision) {
  return decision.act == Act::deny || decision.act == Act::deny_stop;
}

std::string bounded(std::string line) {
  return line.size() > kMaxOutputBytes ? std::string() : std::move(line);
}

// {"hookSpecificOutput":{"hookEventName":EVENT, ...}}
template <typename Write>
std::string hook_specific(std::string_view event, const Write& write) {
  return bounded(core::json_object([&](core::JsonWriter& out) {
    out.key("hookSpecificOutput").begin_object().key("hookEventName").string(event);
    write(out);
    out.end_object();
  }));
}

// The suggestion as the agent gave it. A rule for the project's shared settings is kept in the
// person's own instead.
json::value echoed(json::value suggestion) {
  json::object& object = suggestion.get_object();
  if (text_of(object, "destination") == "projectSettings") object["destination"] = "localSettings";
  return suggestion;
}

std::string permissions_of(const HookEvent& event, const Decision& decision) {
  if (decision.act == Act::allow_rule) {
    return json::serialize(json::array{echoed(event.suggestions.at(decision.rule))});
  }
  if (decision.act == Act::accept_edits) {
    return R"([{"type":"setMode","mode":"acceptEdits","destination":"session"}])";
  }
  return {};
}

std::string claude_output(const HookEvent& event, const Decision& decision,
                          const std::string& command) {
  return hook_specific("PermissionRequest", [&](core::JsonWriter& out) {
    out.key("decision").begin_object().key("behavior").string(denies(decision) ? "deny" : "allow");
    if (denies(decision)) out.key("message").string(denial_of(event, decision));
    if (decision.act == Act::deny_stop) out.key("interrupt").boolean(true);
    if (decision.act == Act::edit) {
      json::object input = event.input;
      input["command"] = command;
      out.key("updatedInput").raw(json::serialize(input));
    } else if (!denies(decision) && event.kind == HookKind::plan) {
      // For its own dialogs Claude Code counts an allow only with an input.
      out.key("updatedInput").raw(json::serialize(event.input));
    }
    const std::string permissions = permissions_of(event, decision);
    if (!permissions.empty()) out.key("updatedPermissions").raw(permissions);
    out.end_object();
  });
}

std::string opencode_output(const HookEvent& event, const Decision& decision) {
  return bounded(core::json_object([&](core::JsonWriter& out) {
    if (decision.act == Act::deny) {
      out.key("reply").string("reject").key("message").string(denial_of(event, decision));
    } else {
      out.key("reply").string(decision.act == Act::allow_rule ? "always" : "once");
    }
  }));
}

std::string copilot_output(const HookEvent& event, const Decision& decision) {
  return bounded(core::json_object([&](core::JsonWriter& out) {
    out.key("behavior").string(denies(decision) ? "deny" : "allow");
    if (denies(decision)) out.key("message").string(denial_of(event, decision));
    if (decision.act == Act::deny_stop) out.key("interrupt").boolean(true);
  }));
}

std::string vscode_output(const HookEvent& event, const Decision& decision) {
  return hook_specific("PreToolUse", [&](core::JsonWriter& out) {
    out.key("permissionDecision").string(denies(decision) ? "deny" : "allow");
    if (denies(decision)) out.key("permissionDecisionReason").string(denial_of(event, decision));
  });
}

std::string cursor_output(const HookEvent& event, const Decision& decision) {
  return bounded(core::json_object([&](core::JsonWriter& out) {
    out.key("permission").string(denies(decision) ? "deny" : "allow");
    if (!denies(decision)) return;
    const std::string reason = denial_of(event, decision);
    out.key("user_message").string(reason).key("agent_message").string(reason);
  }));
}

std::string crush_output(const HookEvent& event, const Decision& decision) {
  return bounded(core::json_object([&](core::JsonWriter& out) {
    out.key("decision").string(denies(decision) ? "deny" : "allow");
    if (denies(decision)) out.key("reason").string(denial_of(event, decision));
  }));
}

// The input of the tool with the answers, by the questions' own texts.
std::string answered_input(const HookEvent& event, const std::vector<QuestionReply>& answers) {
  json::object input = event.input;
  json::object given;
  const json::array& questions = event.input.at("questions").as_array();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    given[text_of(questions.at(i).as_object(), "question")] = words_of(answers[i]);
  }
  input["answers"] = std::move(given);
  return json::serialize(input);
}

}  // namespace

std::string output_of(const HookEvent& event, const Decision& decision,
                      const std::string& command) {
  if (decision.act == Act::silent) return {};
  switch (event.agent) {
    case Agent::opencode:
      return opencode_output(event, decision);
    case Agent::copilot:
      return copilot_output(event, decision);
    case Agent::vscode:
      return vscode_output(event, decision);
    case Agent::cursor:
      return cursor_output(event, decision);
    case Agent::crush:
      return crush_output(event, decision);
    case Agent::claude:
    case Agent::codex:
    case Agent::qwen:
      return claude_output(event, decision, command);
    default:
      return {};  // a granted request means nothing to the other agents
  }
}

std::string output_of(const HookEvent& event, const std::vector<QuestionReply>& answers) {
  if (event.agent == Agent::opencode) {
    return bounded(core::json_object([&](core::JsonWriter& out) {
      out.key("answers").array(answers, [](core::JsonWriter& each, const QuestionReply& answer) {
        std::vector<std::string> parts = answer.labels;
        if (!answer.text.empty()) parts.push_back(answer.text);
        each.strings(parts);
      });
    }));
  }
  if (!facts_of(event.agent).answers_dialogs) {
    std::string reason = "The person answered: ";
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (i > 0) reason += "; ";
      reason += words_of(answers[i]);
    }
    if (event.name == "PermissionRequest") {
      return claude_output(event, {Act::deny, 0, std::move(reason), false}, {});
    }
    return hook_specific("PreToolUse", [&](core::JsonWriter& out) {
      out.key("permissionDecision").string("deny");
      out.key("permissionDecisionReason").string(reason_of(reason));
    });
  }
  const std::string input = answered_input(event, answers);
  if (event.name == "PreToolUse") {
    return hook_specific("PreToolUse", [&](core::JsonWriter& out) {
      out.key("permissionDecision").string("allow").key("updatedInput").raw(input);
    });
  }
  return hook_specific("PermissionRequest", [&](core::JsonWriter& out) {
    out.key("decision").begin_object().key("behavior").string("allow");
    out.key("updatedInput").raw(input).end_object();
  });
}

std::string continue_output(const HookEvent& event, std::string_view text) {
  if (!facts_of(event.agent).continues) return {};
  return bounded(core::json_object([&](core::JsonWriter& out) {
    if (event.agent == Agent::cursor) {
      out.key("followup_message").string(reason_of(text));
      return;
    }
    out.key("decision").string(event.agent == Agent::gemini ? "deny" : "block");
    out.key("reason").string(reason_of(text));
  }));
}

}  // namespace parley::hook
