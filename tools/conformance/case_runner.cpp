// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/conformance/case_runner.h"

#include <array>
#include <boost/json/serialize.hpp>
#include <cmath>
#include <condition_variable>

#include "base/core/hex.h"
#include "base/core/utf8.h"
#include "tools/conformance/bytes.h"
#include "tools/conformance/case_run.h"

namespace parley::conformance {
namespace json = boost::json;
namespace {

constexpr std::int64_t kDefaultWithinMs = 5'000;
constexpr std::int64_t kDefaultQuietMs = 250;
constexpr std::size_t kMaxTrace = 80;
constexpr std::size_t kMaxTraceText = 600;

// Repetitions of a `send` or `expect`.
std::int64_t times_of(const json::object& body) {
  const json::value* times = body.if_contains("times");
  return times == nullptr ? 1 : times->to_number<std::int64_t>();
}

}  // namespace

std::string text_of(const json::object& body, std::string_view key) {
  const json::value* found = body.if_contains(key);
  if (found == nullptr) return "";
  return found->is_string() ? std::string(found->get_string()) : json::serialize(*found);
}

HeaderList headers_of(const json::object& body) {
  HeaderList out;
  const json::value* found = body.if_contains("headers");
  if (found == nullptr) return out;
  for (const auto& member : found->as_object()) {
    const json::value& value = member.value();
    out.emplace_back(member.key(),
                     value.is_string() ? std::string(value.get_string()) : json::serialize(value));
  }
  return out;
}

core::Result<std::shared_ptr<const ProtoSchema>> SchemaCache::get(const std::string& path) {
  const std::scoped_lock lock(mutex_);
  const auto found = loaded_.find(path);
  if (found != loaded_.end()) return found->second;
  auto loaded = ProtoSchema::load(path);
  if (loaded) loaded_.emplace(path, *loaded);
  return loaded;
}

CaseResult run_case(const Case& wanted, const Surroundings& surroundings) {
  return CaseRun(wanted, surroundings).run();
}

CaseRun::CaseRun(const Case& wanted, const Surroundings& surroundings)
    : case_(wanted),
      surroundings_(surroundings),
      variables_(*surroundings.clock, *surroundings.entropy),
      started_(surroundings.clock->mono()) {
  for (const auto& [name, value] : surroundings.variables) {
    variables_.set(name, json::value(value));
  }
}

CaseRun::Handler CaseRun::handler_of(const std::string& verb) {
  static const std::map<std::string, Handler, std::less<>> kHandlers = {
      {"connect", &CaseRun::connect},
      {"send", &CaseRun::send},
      {"expect", &CaseRun::expect},
      {"expect_nothing", &CaseRun::expect_nothing},
      {"expect_close", &CaseRun::expect_close},
      {"close", &CaseRun::close},
      {"drop", &CaseRun::drop},
      {"expect_exit", &CaseRun::expect_exit},
      {"request", &CaseRun::request},
      {"response", &CaseRun::response},
      {"wait", &CaseRun::wait},
      {"set", &CaseRun::set},
      {"check", &CaseRun::check},
      {"run", &CaseRun::run_program},
      {"server", &CaseRun::server},
  };
  return kHandlers.at(verb);
}

CaseResult CaseRun::run() {
  CaseResult result;
  result.name = case_.name;
  result.source = case_.source;
  result.at = case_.at;
  for (std::size_t i = 0; i < case_.steps.size(); ++i) {
    const Step& now = case_.steps[i];
    const StepResult trouble = step(now);
    if (!trouble) continue;
    result.verdict = Verdict::failed;
    result.failure = {now.at,
                      i + 1,
                      now.verb,
                      hide_tokens(trouble->what),
                      trouble->mismatch.path,
                      hide_tokens(trouble->mismatch.expected),
                      hide_tokens(trouble->mismatch.got)};
    result.trace = trace_;
    break;
  }
  result.took = std::chrono::duration_cast<core::Millis>(surroundings_.clock->mono() - started_);
  return result;
}

StepResult CaseRun::step(const Step& step) {
  auto expanded = variables_.expand(json::value(step.body));
  if (!expanded) return Trouble{expanded.error().message};
  return (this->*handler_of(step.verb))(expanded->as_object());
}

StepResult CaseRun::compare(const json::value& pattern, const json::value& value,
                            const std::string& what) {
  auto mismatch = match(pattern, value, variables_.bindings());
  if (!mismatch) return std::nullopt;
  return Trouble{what, std::move(*mismatch)};
}

StepResult CaseRun::compare_message(const Body& body, const Received& received) {
  const std::string what = "this message is not the one that was expected";
  if (const json::value* pattern = body.if_contains("message")) {
    if (auto trouble = compare(*pattern, received.value, what)) return trouble;
  }
  if (const json::value* pattern = body.if_contains("text")) {
    const json::value text = core::is_utf8(received.bytes)
                                 ? json::value(received.bytes)
                                 : json::value(core::hex_text(received.bytes));
    if (auto trouble = compare(*pattern, text, what)) return trouble;
  }
  if (const json::value* pattern = body.if_contains("hex")) {
    if (auto trouble = compare(*pattern, json::value(core::hex_text(received.bytes)), what)) {
      return trouble;
    }
  }
  return std::nullopt;
}

bool CaseRun::is_ignored(const json::array& patterns, const Received& received) {
  for (const json::value& pattern : patterns) {
    if (!match(pattern, received.value, variables_.bindings())) return true;
  }
  return false;
}

CaseRun::Connection* CaseRun::find(const Body& body, std::string_view verb) {
  const auto found = connections_.find(text_of(body, verb));
  return found == connections_.end() ? nullptr : &found->second;
}

std::int64_t CaseRun::within_ms(const Body& body) const {
  const json::value* within = body.if_contains("within");
  const double ms =
      within == nullptr ? static_cast<double>(kDefaultWithinMs) : within->to_number<double>();
  return std::llround(ms * surroundings_.patience);
}

Deadline CaseRun::deadline_of(const Body& body) const { return in_ms(within_ms(body)); }

void CaseRun::note(const std::string& name, std::string_view arrow, const std::string& what) {
  if (trace_.size() == kMaxTrace) trace_.erase(trace_.begin());
  const auto at =
      std::chrono::duration_cast<core::Millis>(surroundings_.clock->mono() - started_).count();
  std::string text = hide_tokens(what);
  if (text.size() > kMaxTraceText && core::is_utf8(text)) {
    text = std::string(core::utf8_truncate(text, kMaxTraceText)) + "...";
  }
  trace_.push_back(std::to_string(at) + " ms  " + name + " " + std::string(arrow) + " " + text);
}

void CaseRun::note_received(const std::string& name, const Received& received) {
  if (received.kind == Received::Kind::closed) {
    note(name, "<-", "closed " + std::to_string(received.code) + " '" + received.reason + "'");
  } else {
    note(name, "<-", brief(received.value, kMaxTraceText));
  }
}

// Removes secrets given to the runner from the text of a report.
std::string CaseRun::hide_tokens(std::string text) const {
  for (const auto& [name, value] : surroundings_.variables) {
    if (!name.starts_with("token") || value.size() < 4) continue;
    for (std::size_t at = text.find(value); at != std::string::npos; at = text.find(value, at)) {
      text.replace(at, value.size(), "${" + name + "}");
      at += name.size() + 3;
    }
  }
  return text;
}

StepResult CaseRun::send(const Body& body) {
  Connection* connection = find(body, "send");
  if (connection == nullptr) return Trouble{"no connection has this name"};
  Outgoing what;
  if (const json::value* message = body.if_contains("message")) what.message = *message;
  if (body.contains("text")) what.text = text_of(body, "text");
  if (body.contains("hex")) {
    auto bytes = from_hex(text_of(body, "hex"));
    if (!bytes) return Trouble{bytes.error().message};
    what.bytes = std::move(*bytes);
  }
  if (const json::value* frame = body.if_contains("frame")) what.frame = frame->as_object();
  if (const json::value* fragments = body.if_contains("fragments")) {
    what.fragments = static_cast<int>(fragments->to_number<std::int64_t>());
  }
  for (const char* key : {"message", "text", "hex", "frame"}) {
    if (body.contains(key)) note(text_of(body, "send"), "->", brief(body.at(key), kMaxTraceText));
  }
  for (std::int64_t left = times_of(body); left > 0; --left) {
    const auto sent = connection->wire->send(what, deadline_of(body));
    if (!sent) return Trouble{"could not send: " + sent.error().message};
  }
  return std::nullopt;
}

StepResult CaseRun::expect(const Body& body) {
  Connection* connection = find(body, "expect");
  if (connection == nullptr) return Trouble{"no connection has this name"};
  const std::string name = text_of(body, "expect");
  if (const json::value* control = body.if_contains("control")) {
    const auto received = connection->wire->receive_control(deadline_of(body));
    if (!received) return Trouble{"no control frame came: " + received.error().message};
    note_received(name, *received);
    if (received->kind == Received::Kind::closed) return Trouble{"the connection was closed"};
    return compare(*control, received->value, "this control frame is not the one expected");
  }
  if (body.contains("all")) return expect_all(body, *connection, name);
  if (connection->wire->is_stream()) return expect_stream(body, *connection, name);
  for (std::int64_t left = times_of(body); left > 0; --left) {
    if (auto trouble = expect_one(body, *connection, name)) {
      if (body.contains("times")) trouble->what += "; " + std::to_string(left) + " were left";
      return trouble;
    }
  }
  return std::nullopt;
}

StepResult CaseRun::expect_one(const Body& body, Connection& connection, const std::string& name) {
  const Deadline deadline = deadline_of(body);
  const json::value* skip = body.if_contains("skip");
  const bool skip_all = skip != nullptr && skip->is_bool() && skip->get_bool();
  Mismatch last;
  while (true) {
    const auto received = connection.wire->receive(deadline);
    if (!received && received.error().code != core::Code::deadline_exceeded) {
      return Trouble{"cannot be read: " + received.error().message};
    }
    if (!received) {
      return Trouble{"nothing fitting came within " + std::to_string(within_ms(body)) + " ms",
                     last};
    }
    note_received(name, *received);
    if (received->kind == Received::Kind::closed) {
      return Trouble{"the connection was closed (" + std::to_string(received->code) + " '" +
                         received->reason + "') before the message came",
                     last};
    }
    if (is_ignored(connection.ignore, *received)) continue;
    auto trouble = compare_message(body, *received);
    if (!trouble) return std::nullopt;
    const bool may_skip = skip_all || (skip != nullptr && skip->is_array() &&
                                       is_ignored(skip->get_array(), *received));
    if (!may_skip) return trouble;
    last = std::move(trouble->mismatch);
  }
}

StepResult CaseRun::expect_all(const Body& body, Connection& connection, const std::string& name) {
  const Deadline deadline = deadline_of(body);
  json::array wanted = body.at("all").as_array();
  const bool skip = body.contains("skip");
  while (!wanted.empty()) {
    const auto received = connection.wire->receive(deadline);
    if (!received || received->kind == Received::Kind::closed) {
      const std::string why = received ? "the connection was closed" : received.error().message;
      return Trouble{why, {"", "in any order " + brief(json::value(wanted)), "none of them"}};
    }
    note_received(name, *received);
    if (is_ignored(connection.ignore, *received)) continue;
    bool taken = false;
    for (auto it = wanted.begin(); it != wanted.end() && !taken; ++it) {
      taken = !match(*it, received->value, variables_.bindings());
      if (taken) {
        wanted.erase(it);
        break;
      }
    }
    if (taken || skip) continue;
    return Trouble{"this message is none of those expected",
                   {"", "in any order " + brief(json::value(wanted)), brief(received->value)}};
  }
  return std::nullopt;
}

StepResult CaseRun::expect_stream(const Body& body, Connection& connection,
                                  const std::string& name) {
  const Deadline deadline = deadline_of(body);
  Received all;
  StepResult last = Trouble{"nothing came"};
  while (true) {
    const auto received = connection.wire->receive(deadline);
    if (!received || received->kind == Received::Kind::closed) {
      last->what = received ? "the connection ended before this came" : received.error().message;
      return last;
    }
    note_received(name, *received);
    all.bytes += received->bytes;
    last = compare_message(body, all);
    if (!last) return std::nullopt;
  }
}

StepResult CaseRun::expect_nothing(const Body& body) {
  const json::value* time = body.if_contains("for");
  const Deadline deadline =
      in_ms(time == nullptr ? kDefaultQuietMs : time->to_number<std::int64_t>());
  const std::string name = text_of(body, "expect_nothing");
  const auto held = exchanges_.find(name);
  if (held != exchanges_.end()) {
    const auto head = held->second->head(deadline);
    if (!head && head.error().code == core::Code::deadline_exceeded) return std::nullopt;
    const std::string got = head ? "status " + std::to_string(head->status) : head.error().message;
    return Trouble{"an answer came though none was expected", {"", "nothing", got}};
  }
  Connection* connection = find(body, "expect_nothing");
  if (connection == nullptr) return Trouble{"no connection or request has this name"};
  const json::value* matching = body.if_contains("matching");
  while (true) {
    const auto received = connection->wire->receive(deadline);
    if (!received && received.error().code == core::Code::deadline_exceeded) return std::nullopt;
    if (!received) return Trouble{received.error().message};
    note_received(name, *received);
    if (received->kind == Received::Kind::closed) {
      return Trouble{"the connection was closed (" + std::to_string(received->code) + " '" +
                     received->reason + "')"};
    }
    if (is_ignored(connection->ignore, *received)) continue;
    if (matching != nullptr && match(*matching, received->value, variables_.bindings())) continue;
    return Trouble{"a message came though none was expected",
                   {"", "nothing", brief(received->value)}};
  }
}

StepResult CaseRun::expect_close(const Body& body) {
  Connection* connection = find(body, "expect_close");
  if (connection == nullptr) return Trouble{"no connection has this name"};
  const Deadline deadline = deadline_of(body);
  const json::value* skip = body.if_contains("skip");
  while (true) {
    const auto received = connection->wire->receive(deadline);
    if (!received) return Trouble{"it was not closed: " + received.error().message};
    note_received(text_of(body, "expect_close"), *received);
    if (received->kind == Received::Kind::closed) {
      const std::string what = "the connection was closed in another way";
      if (const json::value* code = body.if_contains("code")) {
        if (auto trouble = compare(*code, json::value(received->code), what)) return trouble;
      }
      const json::value* reason = body.if_contains("reason");
      if (reason == nullptr) return std::nullopt;
      return compare(*reason, json::value(received->reason), what);
    }
    const bool may_skip = skip != nullptr && skip->get_bool();
    if (!may_skip && !is_ignored(connection->ignore, *received)) {
      return Trouble{"a message came before the close", {"", "a close", brief(received->value)}};
    }
  }
}

StepResult CaseRun::close(const Body& body) {
  Connection* connection = find(body, "close");
  if (connection == nullptr) return Trouble{"no connection has this name"};
  const json::value* code = body.if_contains("code");
  const int number = code == nullptr ? 1000 : static_cast<int>(code->to_number<std::int64_t>());
  note(text_of(body, "close"), "->", "close " + std::to_string(number));
  const auto done = connection->wire->close(number, text_of(body, "reason"), deadline_of(body));
  if (!done) return Trouble{"could not close: " + done.error().message};
  return std::nullopt;
}

StepResult CaseRun::drop(const Body& body) {
  const std::string name = text_of(body, "drop");
  note(name, "->", "(cut)");
  if (connections_.erase(name) + exchanges_.erase(name) == 0) {
    return Trouble{"no connection or request has this name"};
  }
  return std::nullopt;
}

StepResult CaseRun::expect_exit(const Body& body) {
  Connection* connection = find(body, "expect_exit");
  Process* process = connection == nullptr ? nullptr : connection->wire->process();
  if (process == nullptr) return Trouble{"no program has this name"};
  const auto status = process->wait(deadline_of(body));
  if (!status) return Trouble{status.error().message};
  if (const json::value* code = body.if_contains("code")) {
    auto trouble = compare(*code, json::value(*status), "the program ended in another way");
    if (trouble) {
      trouble->what += ": " + process->errors();
      return trouble;
    }
  }
  const json::value* errors = body.if_contains("stderr");
  if (errors == nullptr) return std::nullopt;
  return compare(*errors, json::value(process->errors()), "its standard error is another");
}

StepResult CaseRun::wait(const Body& body) {
  // The only verb that depends on time alone: a bounded wait without a condition.
  const auto until = in_ms(body.at("wait").to_number<std::int64_t>());
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  never.wait_until(lock, until, [] { return false; });
  return std::nullopt;
}

StepResult CaseRun::set(const Body& body) {
  for (const auto& member : body.at("set").as_object()) {
    variables_.set(std::string(member.key()), member.value());
  }
  return std::nullopt;
}

StepResult CaseRun::check(const Body& body) {
  return compare(body.at("is"), body.at("check"), "this value is not the one expected");
}

StepResult CaseRun::server(const Body& body) {
  ServerProcess* server = surroundings_.server;
  if (server == nullptr) return Trouble{"the runner did not start the server (see --start)"};
  const std::string what = text_of(body, "server");
  note("server", "--", what);
  if (what == "log") return expect_log(body, *server);
  core::Result<void> done;
  if (what == "kill" || what == "restart") done = server->kill_now();
  if (what == "stop") done = server->stop(deadline_of(body));
  if (done && (what == "start" || what == "restart")) {
    done = server->start(in_ms(within_ms(body) + 10'000));
    const auto target = Target::parse(server->url());
    if (done && target) surroundings_.target = *target;
  }
  if (!done) return Trouble{done.error().message};
  return std::nullopt;
}

// Log lines may be written a moment after the event that they describe.
StepResult CaseRun::expect_log(const Body& body, const ServerProcess& server) {
  const Body between{{"wait", 20}};
  const Deadline deadline = deadline_of(body);
  while (true) {
    const std::string log = server.errors();
    const json::value text =
        core::is_utf8(log) ? json::value(log) : json::value(core::hex_text(log));
    auto trouble = compare(body.at("text"), text, "the server's log is another");
    if (!trouble || in_ms(0) >= deadline) return trouble;
    wait(between);
  }
}

}  // namespace parley::conformance
