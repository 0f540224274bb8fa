// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/hook/hook_question.h"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "agents/hook/request_text.h"
#include "base/core/answer_text.h"
#include "base/core/json_writer.h"
#include "base/core/limits.h"
#include "base/core/utf8.h"
#include "base/core/visible_text.h"

namespace parley::hook {

namespace {

constexpr std::array<std::string_view, 3> kPathFields = {"file_path", "filepath", "filePath"};

bool is_within(const std::string& text, std::size_t limit) {
  return !text.empty() && text.size() <= limit;
}

// The path of the file that a tool uses; empty: it names none.
std::string used_file(const HookEvent& event) {
  for (const std::string_view field : kPathFields) {
    std::string path = text_of(event.input, field);
    if (!path.empty()) return path;
  }
  return {};
}

}  // namespace

std::string asked_action(const HookEvent& event) {
  if (event.kind != HookKind::permission) return {};
  const bool is_command = runs_command(event);
  const std::string subject = is_command ? text_of(event.input, "command") : used_file(event);
  if (!is_within(subject, core::limits::kMaxActionSubject) ||
      !is_within(event.tool, core::limits::kMaxActionName)) {
    return {};
  }
  std::string json = core::json_object([&](core::JsonWriter& out) {
    out.key("agent").string(facts_of(event.agent).word).key("tool").string(event.tool);
    out.key("kind").string(is_command ? "command" : "file").key("subject").string(subject);
  });
  return json.size() <= kMaxActionBytes ? json : std::string();
}

namespace {

namespace json = boost::json;

// Limit (parley hook): rules offered for a request. Reached: not offered.
constexpr std::size_t kMaxRules = 5;
// Limit (parley hook): questions that an agent asks at once. Reached: silence.
constexpr std::size_t kMaxOwnQuestions = 8;
// Limit (parley hook): options of an agent's question. Reached: not offered.
constexpr std::size_t kMaxOwnOptions = 32;

// At most `limit` characters.
std::string cut_to(std::string_view text, std::size_t limit) {
  std::string visible = core::visible_line(text);
  std::size_t at = 0;
  std::size_t count = 0;
  while (at < visible.size() && count < limit) {
    ++at;
    while (at < visible.size() && (static_cast<unsigned char>(visible[at]) & 0xc0U) == 0x80U) ++at;
    ++count;
  }
  visible.resize(at);
  return visible;
}

std::string_view place_words(std::string_view destination, Language language) {
  if (destination == "session") return words(Phrase::this_session, language);
  if (destination == "localSettings" || destination == "projectSettings") {
    return words(Phrase::this_project, language);
  }
  if (destination == "userSettings") return words(Phrase::all_projects, language);
  return {};
}

// "make:*" of "Bash"; every use without a content.
std::string words_of_rule(const json::object& rule, Language language) {
  const std::string tool = core::visible_line(text_of(rule, "toolName"));
  const std::string content = core::visible_line(text_of(rule, "ruleContent"));
  if (tool.empty()) return {};
  if (!content.empty()) return tool + "(" + content + ")";
  return std::string(words(Phrase::every_use, language)) + tool;
}

std::string words_of_rules(const json::object& suggestion, Language language) {
  const json::value* rules = suggestion.if_contains("rules");
  if (text_of(suggestion, "behavior") != "allow" || rules == nullptr || !rules->is_array()) {
    return {};
  }
  std::string out;
  for (const json::value& rule : rules->get_array()) {
    const std::string one =
        rule.is_object() ? words_of_rule(rule.get_object(), language) : std::string();
    if (one.empty()) return {};
    out.append(out.empty() ? "" : ", ").append(one);
  }
  return out;
}

std::string words_of_directories(const json::object& suggestion, Language language) {
  const json::value* folders = suggestion.if_contains("directories");
  if (folders == nullptr || !folders->is_array()) return {};
  std::string out;
  for (const json::value& folder : folders->get_array()) {
    if (!folder.is_string()) return {};
    out.append(out.empty() ? words(Phrase::files_in, language) : ", ");
    out.append(core::visible_line(std::string_view(folder.get_string())));
  }
  return out;
}

std::string agent_name(const HookEvent& event) {
  std::string name(facts_of(event.agent).title);
  if (!event.agent_type.empty()) name += " (" + cut_to(event.agent_type, kMaxHeaderChars) + ")";
  return name;
}

mcp::AssistantCall empty_call(const HookEvent& event, core::Millis wait) {
  mcp::AssistantCall call;
  call.project_directory = event.directory;
  call.agent_name = agent_name(event);
  call.reasoning_model_name = event.model;
  call.client_name = "parley hook";
  call.timeout = wait;
  return call;
}

// Copilot asks in its terminal about leaving the sandbox, whatever a hook allows, and an agent that
// does not take answers to its dialogs opens them after an allow. A plan that is not shown must not
// be approved.
bool can_be_allowed(const HookEvent& event) {
  const bool is_dialog = event.kind == HookKind::plan || event.kind == HookKind::dialog;
  if (is_dialog && !facts_of(event.agent).answers_dialogs) return false;
  if (event.kind == HookKind::plan && !is_plan_shown(event)) return false;
  const json::value* leaves = event.input.if_contains("requestSandboxBypass");
  return event.agent != Agent::copilot || leaves == nullptr || *leaves == json::value(false);
}

HookQuestion plan_question(const HookEvent& event) {
  RequestText shown = request_text(event);
  const auto label = [&](Phrase phrase) { return std::string(words(phrase, event.language)); };
  HookQuestion question{std::move(shown.text), label(Phrase::plan), {}, event.language};
  if (!shown.is_cut && can_be_allowed(event)) {
    question.choices.push_back({label(Phrase::approve), {}, Act::allow});
    if (facts_of(event.agent).rules) {
      question.choices.push_back(
          {label(Phrase::approve_edits), label(Phrase::edits_without_asking), Act::accept_edits});
    }
  }
  question.choices.push_back({label(Phrase::keep_planning), {}, Act::deny});
  question.choices.push_back({label(Phrase::in_terminal), {}, Act::silent});
  return question;
}

bool is_shell(const HookEvent& event) {
  return (event.tool == "Bash" || event.tool == "run_shell_command") &&
         !text_of(event.input, "command").empty();
}

void offer_rules(const HookEvent& event, std::vector<HookChoice>& choices) {
  const std::string always_label(words(Phrase::always, event.language));
  if (event.agent == Agent::opencode) {
    const json::value* always = event.input.if_contains("always");
    if (always == nullptr || !always->is_array() || always->get_array().empty()) return;
    choices.push_back({always_label,
                       std::string(words(Phrase::until_opencode_ends, event.language)) +
                           core::visible_line(json::serialize(*always)),
                       Act::allow_rule});
    return;
  }
  if (!facts_of(event.agent).rules) return;
  std::size_t offered = 0;
  for (std::size_t i = 0; i < event.suggestions.size() && offered < kMaxRules; ++i) {
    std::string rule = rule_words(event, i);
    if (rule.empty()) continue;
    choices.push_back(
        {always_label + " " + std::to_string(++offered), std::move(rule), Act::allow_rule, i});
  }
}

core::Question own_question(const json::object& from) {
  core::Question question;
  question.text = core::visible_text(text_of(from, "question"));
  question.header = cut_to(text_of(from, "header"), kMaxHeaderChars);
  const json::value* options = from.if_contains("options");
  if (options != nullptr && options->is_array()) {
    for (const json::value& option : options->get_array()) {
      if (!option.is_object() || question.choices.size() == kMaxOwnOptions) continue;
      // The label goes back to the agent: it stays as it is.
      question.choices.push_back({text_of(option.get_object(), "label"),
                                  core::visible_line(text_of(option.get_object(), "description"))});
    }
  }
  for (const std::string_view name : {"multiSelect", "multiple"}) {
    const json::value* several = from.if_contains(name);
    if (several != nullptr && several->is_bool()) question.multiple = several->get_bool();
  }
  question.custom = true;
  return question;
}

}  // namespace

std::string rule_words(const HookEvent& event, std::size_t at) {
  const json::object* suggestion = event.suggestions.at(at).if_object();
  if (suggestion == nullptr) return {};
  const std::string type = text_of(*suggestion, "type");
  const std::string destination = text_of(*suggestion, "destination");
  const std::string_view place = place_words(destination, event.language);
  if (place.empty()) return {};
  std::string rule;
  if (type == "addRules") rule = words_of_rules(*suggestion, event.language);
  if (type == "addDirectories") rule = words_of_directories(*suggestion, event.language);
  if (type == "setMode" && destination == "session" &&
      text_of(*suggestion, "mode") == "acceptEdits") {
    rule = words(Phrase::accept_edits, event.language);
  }
  if (!rule.empty()) rule.append(", ").append(place);
  return rule;
}

HookQuestion question_of(const HookEvent& event) {
  if (event.kind == HookKind::plan) return plan_question(event);
  RequestText shown = request_text(event);
  const auto label = [&](Phrase phrase) { return std::string(words(phrase, event.language)); };
  const std::string header = is_own_tool(event) ? label(Phrase::may_it_ask) : event.tool;
  HookQuestion question{std::move(shown.text), cut_to(header, kMaxHeaderChars), {}, event.language};
  std::vector<HookChoice>& choices = question.choices;
  if (!shown.is_cut && can_be_allowed(event)) {
    // A permission to ask through Parley is one question too many each time: its rule comes first.
    const bool rule_first = is_own_tool(event);
    if (rule_first) offer_rules(event, choices);
    choices.push_back({label(Phrase::allow_once), {}, Act::allow});
    if (!rule_first) offer_rules(event, choices);
    if (facts_of(event.agent).edits && is_shell(event)) {
      choices.push_back({label(Phrase::edit_command), label(Phrase::other_command), Act::edit});
    }
  }
  const bool ends_others = event.agent == Agent::opencode;
  choices.push_back(
      {label(Phrase::deny), ends_others ? label(Phrase::denies_others) : std::string(), Act::deny});
  if (facts_of(event.agent).interrupts) {
    choices.push_back({label(Phrase::deny_and_stop), label(Phrase::ends_turn), Act::deny_stop});
  }
  choices.push_back({label(Phrase::in_terminal), {}, Act::silent});
  return question;
}

HookQuestion asked_again(HookQuestion question, std::string_view answer) {
  std::vector<std::string_view> labels;
  labels.reserve(question.choices.size());
  for (const HookChoice& choice : question.choices) labels.emplace_back(choice.label);
  const bool is_chinese = question.language == Language::chinese;
  question.text = (is_chinese ? core::asked_again_words_in_chinese(answer, labels)
                              : core::asked_again_words(answer, labels)) +
                  "\n\n" + question.text;
  return question;
}

mcp::AssistantCall call_of(const HookEvent& event, const HookQuestion& question, core::Millis wait,
                           bool again) {
  mcp::AssistantCall call = empty_call(event, wait);
  if (!event.tool.empty()) call.arguments_sha256 = event.input_sha256;
  call.action = asked_action(event);
  call.text = question.text;
  core::Question asked;
  asked.text = question.text;
  asked.header = question.header;
  for (const HookChoice& choice : question.choices) {
    asked.choices.push_back({choice.label, choice.description});
  }
  asked.custom = !again;
  call.questions.push_back(std::move(asked));
  return call;
}

std::vector<core::Question> own_questions(const HookEvent& event) {
  const json::value* asked = event.input.if_contains("questions");
  if (asked == nullptr || !asked->is_array() || asked->get_array().size() > kMaxOwnQuestions) {
    return {};
  }
  std::vector<core::Question> questions;
  std::set<std::string> headers;
  for (const json::value& each : asked->get_array()) {
    if (!each.is_object() || text_of(each.get_object(), "question").empty()) return {};
    core::Question question = own_question(each.get_object());
    if (question.header.empty() || !headers.insert(question.header).second) {
      question.header = "Question " + std::to_string(questions.size() + 1);
      if (!headers.insert(question.header).second) return {};
    }
    questions.push_back(std::move(question));
  }
  return questions;
}

mcp::AssistantCall call_of(const HookEvent& event, std::vector<core::Question> questions,
                           core::Millis wait) {
  mcp::AssistantCall call = empty_call(event, wait);
  call.text = questions.front().text;
  call.questions = std::move(questions);
  return call;
}

}  // namespace parley::hook
