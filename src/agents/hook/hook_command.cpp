// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/hook/hook_command.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "agents/hook/asker.h"
#include "agents/hook/hook_options.h"
#include "agents/hook/hook_output.h"
#include "agents/hook/hook_places.h"
#include "agents/hook/hook_reply.h"
#include "agents/hook/hook_waits.h"
#include "agents/hook/plan_file.h"
#include "agents/hook/request_text.h"
#include "agents/hook/rule_list.h"
#include "agents/hook/session_notes.h"
#include "agents/mcp/signal_watch.h"
#include "base/core/clock.h"
#include "base/core/durable_file.h"
#include "base/core/file_descriptor.h"
#include "base/core/json_writer.h"
#include "base/core/markdown_code.h"
#include "base/core/private_files.h"
#include "base/core/time_text.h"
#include "base/core/transport_variables.h"
#include "base/core/utf8.h"
#include "base/core/visible_text.h"

namespace parley::hook {

void log_line(const std::filesystem::path& file, std::string_view line) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) == 0 && status.st_size > static_cast<off_t>(kMaxLogBytes)) {
    core::rename_durably(file.string(), file.string() + ".1");
  }
  const core::FileDescriptor out(::open(file.c_str(),
                                        O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                                        core::kPrivateFileMode));
  if (!out) return;
  const core::SystemClock clock;
  const std::string text = core::time_text_ms(clock.wall()) + " " + std::to_string(::getpid()) +
                           " " + core::visible_line(line) + "\n";
  // One write a line: lines of several processes do not mix.
  [[maybe_unused]] const ssize_t written = ::write(out.get(), text.data(), text.size());
}

namespace {

// Limit (parley hook): time to read an event. Reached: silence.
constexpr core::Millis kReadTime = std::chrono::seconds(2);
constexpr int kNotUnderstood = 2;
constexpr std::size_t kMaxTitleBytes = 180;
constexpr std::size_t kMaxNoticeText = 60U << 10U;
constexpr std::size_t kMaxSessionBytes = 40;  // its visible form is at most four times as long
constexpr std::string_view kToldFact = "told";

bool write_all(std::string_view text, int fd = STDOUT_FILENO) {
  while (!text.empty()) {
    const ssize_t done = ::write(fd, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

// All of stdin; std::nullopt: it is too long, does not end in time, or cannot be read.
std::optional<std::string> read_input() {
  const core::SystemClock clock;
  const core::MonoTime end = clock.mono() + kReadTime;
  std::string text;
  std::array<char, 65536> part{};
  while (true) {
    const auto left = std::chrono::duration_cast<core::Millis>(end - clock.mono()).count();
    pollfd in{STDIN_FILENO, POLLIN, 0};
    if (left <= 0 || ::poll(&in, 1, static_cast<int>(left)) <= 0) return std::nullopt;
    const ssize_t got = ::read(STDIN_FILENO, part.data(), part.size());
    if (got < 0) return std::nullopt;
    if (got == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(got));
    if (text.size() > kMaxInputBytes) return std::nullopt;
  }
}

// The agent's own folder, which neither the working directory nor the environment names.
std::filesystem::path agent_folder_of(const HookOptions& options, const HookPlaces& places) {
  return options.agent_folder.empty() ? places.home / ".claude"
                                      : std::filesystem::path(options.agent_folder);
}

// One run of the hook for one event.
class HookRun {
 public:
  HookRun(HookOptions options, HookPlaces places, HookEvent event)
      : options_(std::move(options)), places_(std::move(places)), event_(std::move(event)) {}

  void run() {
    watch_plan(places_.waits(), agent_folder(), event_);
    if (event_.name == "UserPromptSubmit" || event_.name == "SessionEnd") {
      drop_note(places_.waits(), event_, kToldFact);
    }
    if (event_.name.starts_with("PostToolUse") && runs_command(event_)) {
      count_use(places_.data, facts_of(event_.agent).word, text_of(event_.input, "command"),
                event_.directory, core::SystemClock().wall());
    }
    if (event_.kind == HookKind::progress) return progress();
    if (event_.kind == HookKind::finished) {
      progress();
      if (!event_.agent_id.empty() || event_.goes_on_later) return;
    }
    if (!lets_through(options_, event_)) return;  // not logged: the most frequent event
    if (!facts_of(event_.agent).continues && options_.stop == StopMode::ask) {
      options_.stop = StopMode::notify;
    }
    const bool tells = event_.kind == HookKind::finished || event_.kind == HookKind::notice;
    if (tells && options_.stop == StopMode::off) return;
    if (event_.agent == Agent::codex && codex_reviews_itself(places_)) {
      return log("Codex decides by itself");
    }
    const auto access = find_server(places_, options_.config);
    if (!access) return log(access.error().message);
    if (!*access) return;
    if (event_.kind == HookKind::notice ||
        (event_.kind == HookKind::finished && options_.stop == StopMode::notify)) {
      return notify(**access);
    }
    ask(**access);
  }

 private:
  void log(std::string_view what) {
    log_line(places_.log(), std::string(facts_of(event_.agent).word) + " " + event_.name + ": " +
                                std::string(what));
  }

  void progress() {
    const std::size_t ended = end_waits(places_.waits(), event_);
    if (ended > 0) log(std::to_string(ended) + " questions withdrawn");
  }

  void notify(const mcp::ServerAccess& access) {
    // It would take the place of the agent's last words and say nothing new.
    const bool is_notified = !note_of(places_.waits(), event_, kToldFact).empty();
    if (event_.notice_kind == "idle" && is_notified)
      return log("the end of the turn is told already");
    const bool is_sent = send_notice(access, notice_body());
    log(is_sent ? "notice sent" : "the notice was not taken");
    if (is_sent && event_.kind == HookKind::finished) {
      keep_note(places_.waits(), event_, kToldFact, "done");
    }
  }

  std::filesystem::path agent_folder() const { return agent_folder_of(options_, places_); }

  // The plan, if it is a file. It cannot be approved without.
  void take_plan() {
    if (event_.agent != Agent::claude || !event_.plan.empty()) return;
    auto plan = read_plan(places_.waits(), agent_folder(), event_);
    if (!plan) return log(plan.error().message);
    event_.plan = *std::move(plan);
    plan_is_file_ = true;
  }

  // True if the plan is no longer the one that was shown.
  bool has_other_plan() const {
    if (!plan_is_file_) return false;
    const auto plan = read_plan(places_.waits(), agent_folder(), event_);
    return !plan || *plan != event_.plan;
  }

  std::string notice_body() const {
    const bool finished = event_.kind == HookKind::finished;
    const std::string kind = finished ? "done" : event_.notice_kind;
    std::string text = core::visible_text(core::utf8_truncate(event_.text, kMaxNoticeText));
    const std::size_t line_end = std::min(text.find('\n'), text.size());
    std::string title = core::visible_line(text.substr(0, line_end));
    if (title.size() <= kMaxTitleBytes) {
      text.erase(0, std::min(line_end + 1, text.size()));  // the title says it
    } else {
      title = core::utf8_truncate(title, kMaxTitleBytes);
    }
    text = core::utf8_truncate(text, kMaxNoticeText);
    if (title.empty()) {
      title = words(finished ? Phrase::turn_ended : Phrase::agent_waits, event_.language);
    }
    return core::json_object([&](core::JsonWriter& out) {
      out.key("kind").string(kind).key("title").string(title);
      if (!text.empty()) out.key("text").string(text);
      out.key("project_directory").string(event_.directory);
      out.key("agent_name").string(facts_of(event_.agent).title);
      out.key("client_name").string("parley hook");
      out.key("replace").string(replaced());
    });
  }

  // A notice of a session takes the place of the one before.
  std::string replaced() const {
    return "hook:" + std::string(facts_of(event_.agent).word) + ":" + short_session();
  }

  std::string short_session() const {
    return core::visible_line(core::utf8_truncate(event_.session, kMaxSessionBytes));
  }

  void ask(const mcp::ServerAccess& access) {
    const mcp::SignalWatch signals;  // first: others may end the wait as soon as it begins
    const auto wait = HookWait::begin(places_.waits(), event_);
    if (!wait) return log(wait.error().message);
    Asker asker(
        signals,
        [this, &access] {
          auto found = find_server(places_, options_.config);
          return found && *found ? **std::move(found) : access;
        },
        options_.wait);
    if (options_.when_nobody == WhenNobody::pass && !asker.has_somebody(options_.somebody)) {
      return log(asker.failure());
    }
    const std::string line = answered(asker);
    if (line.empty()) return log("no decision " + asker.failure());
    if (write_all(line + "\n")) return log("answered");
    log("the agent has gone");
    event_.text = words(Phrase::agent_gone, event_.language);
    event_.notice_kind = "failed";
    event_.kind = HookKind::notice;
    send_notice(access, notice_body());
  }

  std::string answered(Asker& asker) {
    switch (event_.kind) {
      case HookKind::questions:
        return answered_questions(asker);
      case HookKind::finished:
        return answered_end(asker);
      default:
        return decided(asker);
    }
  }

  std::string decided(Asker& asker) {
    if (event_.kind == HookKind::plan) take_plan();
    HookQuestion question = question_of(event_);
    Decision decision;
    for (const bool again : {false, true}) {
      const auto reply = asker.ask(call_of(event_, question, asker.remaining(), again));
      if (!reply) return {};
      decision = decision_of(question, *reply, again);
      if (!decision.again) break;
      question = asked_again(std::move(question), decision.text);
    }
    const bool denies = decision.act == Act::deny || decision.act == Act::deny_stop;
    if (event_.kind == HookKind::plan && !denies && has_other_plan()) {
      log("the plan has changed since it was shown");
      return {};
    }
    if (decision.act != Act::edit) return output_of(event_, decision);
    const std::string command = edited_command(asker);
    return command.empty() ? std::string() : output_of(event_, decision, command);
  }

  std::string edited_command(Asker& asker) {
    core::Question question;
    question.header = words(Phrase::command, event_.language);
    question.text = std::string(words(Phrase::write_command, event_.language)) + "\n\n" +
                    core::fenced("sh", text_of(event_.input, "command"));
    question.custom = true;
    const std::vector<core::Question> questions{std::move(question)};
    const auto reply = asker.ask(call_of(event_, questions, asker.remaining()));
    const auto answers = reply ? answers_of(questions, *reply) : std::nullopt;
    return answers ? words_of(answers->front()) : std::string();
  }

  std::string answered_questions(Asker& asker) {
    const std::vector<core::Question> questions = own_questions(event_);
    if (questions.empty()) return {};
    const auto reply = asker.ask(call_of(event_, questions, asker.remaining()));
    const auto answers = reply ? answers_of(questions, *reply) : std::nullopt;
    return answers ? output_of(event_, *answers) : std::string();
  }

  // The end of a turn: "Done" ends it, other words are what the agent goes on with.
  std::string answered_end(Asker& asker) {
    const auto label = [&](Phrase phrase) { return std::string(words(phrase, event_.language)); };
    HookQuestion question{core::visible_text(core::utf8_truncate(event_.text, kMaxRequestBytes)),
                          label(Phrase::finished),
                          {{label(Phrase::done), {}, Act::silent}},
                          event_.language};
    if (question.text.empty()) question.text = label(Phrase::turn_ended);
    const auto reply = asker.ask(call_of(event_, question, asker.remaining(), false));
    if (!reply) return {};
    const Decision decision = decision_of(question, *reply, false);
    return decision.act == Act::deny ? continue_output(event_, decision.text) : std::string();
  }

  HookOptions options_;
  HookPlaces places_;
  HookEvent event_;
  bool plan_is_file_ = false;
};

int explain(const HookOptions& options) {
  const std::optional<std::string> input = read_input();
  auto event = input ? read_event(options.agent, options.questions, *input)
                     : core::Result<HookEvent>(
                           core::fail(core::Code::invalid_argument, "the input does not end"));
  if (!event) {
    write_all("not asked: " + event.error().message + "\n");
    return kNotUnderstood;
  }
  if (!lets_through(options, *event)) {
    write_all("not asked: --gate does not name " + core::visible_line(event->tool) + "\n");
    return 0;
  }
  const auto places = HookPlaces::of_this_user(options.data);
  if (places) event->home = places->home.string();
  event->language = options.language;
  if (places && event->kind == HookKind::plan && event->plan.empty()) {
    auto plan = read_plan(places->waits(), agent_folder_of(options, *places), *event);
    if (plan) event->plan = *std::move(plan);
  }
  std::string out = event->name + "\n";
  if (event->kind == HookKind::permission || event->kind == HookKind::plan ||
      event->kind == HookKind::dialog) {
    const HookQuestion question = question_of(*event);
    out += "\n" + question.text + "\n\n";
    for (const HookChoice& choice : question.choices) {
      out += "- " + choice.label;
      if (!choice.description.empty()) out += ": " + choice.description;
      out += "\n";
    }
  } else if (event->kind == HookKind::questions) {
    for (const auto& question : own_questions(*event)) {
      out += "\n" + question.header + ": " + question.text + "\n";
      for (const core::Choice& choice : question.choices) out += "- " + choice.label + "\n";
    }
  }
  write_all(core::visible_text(out));
  return 0;
}

// An event of another program whose environment Cursor has made.
bool is_in_cursor() { return std::getenv("CURSOR_VERSION") != nullptr; }

// False if Claude Code runs without a person: `claude -p`, also from cron or a build.
bool is_attended() {
  const char* attended = std::getenv("CLAUDE_CODE_SESSION_ATTENDED");
  return attended == nullptr || std::string_view(attended) != "0";
}

// A complaint to a person at a terminal. An agent sees nothing: some show the errors of a hook.
void complain_usage(const core::Error& error) {
  if (::isatty(STDERR_FILENO) == 0) return;
  write_all("parley hook: " + core::visible_line(error.message) +
                "\n  next: `parley hook --help` lists the agents and flags.\n",
            STDERR_FILENO);
}

int hook(const std::vector<std::string>& arguments) {
  const auto options = parse_hook_options(arguments, is_attended());
  if (!options) complain_usage(options.error());
  if (options && options->help) {
    write_all(kHookHelp);
    return 0;
  }
  if (options && options->explain) return explain(*options);
  const auto places = HookPlaces::of_this_user(options ? options->data : std::string());
  if (!places) return 0;
  if (!options) {
    log_line(places->log(), options.error().message);
    return 0;
  }
  const std::optional<std::string> input = read_input();
  if (!input || (options->agent == Agent::claude && is_in_cursor())) return 0;
  auto event = read_event(options->agent, options->questions, *input);
  if (!event) {
    log_line(places->log(), event.error().message);
    return 0;
  }
  event->home = places->home.string();
  event->language = options->language;
  HookRun(*options, *places, *std::move(event)).run();
  return 0;
}

}  // namespace

int run_hook(const std::vector<std::string>& arguments) {
  core::forget_transport_variables();
  try {
    return hook(arguments);
  } catch (const std::exception&) {
    return 0;  // out of memory, for example: the agent asks by itself
  }
}

}  // namespace parley::hook
