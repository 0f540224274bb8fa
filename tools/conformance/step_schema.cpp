// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/conformance/step_schema.h"

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "tools/conformance/pattern.h"

namespace parley::conformance {
namespace json = boost::json;
namespace {

enum class Kind : std::uint8_t {
  text,
  number,
  flag,
  any,
  pattern,
  patterns,  // an array of patterns
  texts,     // an array of texts
  map,       // an object
  skip,      // true, or an array of patterns
  proto,     // {"message", "value"}
  body,      // of `response` and `request.response`
};

struct Key {
  std::string_view name;
  Kind kind;
};

struct Verb {
  std::string_view name;
  Kind kind;
  std::span<const Key> keys;
};

constexpr std::array<Key, 15> kConnect = {{{"over", Kind::text},
                                           {"path", Kind::text},
                                           {"codec", Kind::text},
                                           {"message", Kind::text},
                                           {"headers", Kind::map},
                                           {"subprotocols", Kind::texts},
                                           {"deflate", Kind::flag},
                                           {"ignore", Kind::patterns},
                                           {"status", Kind::pattern},
                                           {"response_headers", Kind::pattern},
                                           {"command", Kind::texts},
                                           {"env", Kind::map},
                                           {"cwd", Kind::text},
                                           {"method", Kind::text},
                                           {"json", Kind::any}}};
constexpr std::array<Key, 7> kSend = {{{"within", Kind::number},
                                       {"times", Kind::number},
                                       {"message", Kind::any},
                                       {"text", Kind::text},
                                       {"hex", Kind::text},
                                       {"frame", Kind::map},
                                       {"fragments", Kind::number}}};
constexpr std::array<Key, 8> kExpect = {{{"message", Kind::pattern},
                                         {"times", Kind::number},
                                         {"text", Kind::pattern},
                                         {"hex", Kind::pattern},
                                         {"control", Kind::pattern},
                                         {"all", Kind::patterns},
                                         {"skip", Kind::skip},
                                         {"within", Kind::number}}};
constexpr std::array<Key, 2> kExpectNothing = {
    {{"for", Kind::number}, {"matching", Kind::pattern}}};
constexpr std::array<Key, 4> kExpectClose = {{{"code", Kind::pattern},
                                              {"reason", Kind::pattern},
                                              {"skip", Kind::flag},
                                              {"within", Kind::number}}};
constexpr std::array<Key, 2> kCloseKeys = {{{"code", Kind::number}, {"reason", Kind::text}}};
constexpr std::array<Key, 4> kExpectExit = {{{"code", Kind::pattern},
                                             {"stderr", Kind::pattern},
                                             {"skip", Kind::flag},
                                             {"within", Kind::number}}};
constexpr std::array<Key, 10> kRequest = {{{"within", Kind::number},
                                           {"method", Kind::text},
                                           {"path", Kind::text},
                                           {"headers", Kind::map},
                                           {"json", Kind::any},
                                           {"text", Kind::text},
                                           {"hex", Kind::text},
                                           {"proto", Kind::proto},
                                           {"gzip", Kind::flag},
                                           {"response", Kind::body}}};
constexpr std::array<Key, 7> kResponse = {{{"status", Kind::pattern},
                                           {"headers", Kind::pattern},
                                           {"json", Kind::pattern},
                                           {"text", Kind::pattern},
                                           {"hex", Kind::pattern},
                                           {"proto", Kind::proto},
                                           {"within", Kind::number}}};
constexpr std::array<Key, 1> kCheck = {{{"is", Kind::pattern}}};
constexpr std::array<Key, 6> kRun = {{{"stdin", Kind::text},
                                      {"env", Kind::map},
                                      {"exit", Kind::pattern},
                                      {"stdout", Kind::pattern},
                                      {"stderr", Kind::pattern},
                                      {"within", Kind::number}}};
constexpr std::array<Key, 1> kUse = {{{"with", Kind::map}}};
constexpr std::array<Key, 2> kServer = {{{"within", Kind::number}, {"text", Kind::pattern}}};

constexpr std::array<Verb, 16> kVerbs = {{{"connect", Kind::text, kConnect},
                                          {"send", Kind::text, kSend},
                                          {"expect", Kind::text, kExpect},
                                          {"expect_nothing", Kind::text, kExpectNothing},
                                          {"expect_close", Kind::text, kExpectClose},
                                          {"close", Kind::text, kCloseKeys},
                                          {"drop", Kind::text, {}},
                                          {"expect_exit", Kind::text, kExpectExit},
                                          {"request", Kind::text, kRequest},
                                          {"response", Kind::text, kResponse},
                                          {"wait", Kind::number, {}},
                                          {"set", Kind::map, {}},
                                          {"check", Kind::any, kCheck},
                                          {"run", Kind::texts, kRun},
                                          {"use", Kind::text, kUse},
                                          {"server", Kind::text, kServer}}};

core::Result<void> bad(std::string message, std::string field) {
  return core::fail(core::Code::invalid_argument, std::move(message), std::move(field));
}

const Verb* find_verb(std::string_view name) {
  for (const Verb& verb : kVerbs) {
    if (verb.name == name) return &verb;
  }
  return nullptr;
}

core::Result<void> check_pattern_at(const json::value& pattern, const std::string& field) {
  const auto checked = check_pattern(pattern);
  if (!checked) return bad(checked.error().message, field + checked.error().field);
  return {};
}

core::Result<void> check_patterns(const json::value& value, const std::string& field) {
  if (!value.is_array()) return bad("must be an array of patterns", field);
  return check_pattern_at(value, field);
}

core::Result<void> check_texts(const json::value& value, const std::string& field) {
  const json::array* elements = value.if_array();
  if (elements == nullptr) return bad("must be an array of texts", field);
  for (const json::value& element : *elements) {
    if (!element.is_string()) return bad("must be an array of texts", field);
  }
  return {};
}

core::Result<void> check_proto(const json::value& value, const std::string& field) {
  const json::object* object = value.if_object();
  if (object == nullptr) return bad("must be {\"message\", \"value\"}", field);
  for (const auto& member : *object) {
    if (member.key() == "message" && member.value().is_string()) continue;
    if (member.key() != "value") return bad("must be {\"message\", \"value\"}", field);
    auto checked = check_pattern_at(member.value(), field + "/value");
    if (!checked) return checked;
  }
  return {};
}

core::Result<void> check_keys(std::span<const Key> keys, const json::object& object,
                              std::string_view verb, const std::string& field);

// True for a text that begins with a variable: it may become another type when the case runs.
bool is_variable(const json::value& value) {
  return value.is_string() && value.get_string().starts_with("${");
}

core::Result<void> check_kind(Kind kind, const json::value& value, const std::string& field) {
  core::Result<void> good;
  switch (kind) {
    case Kind::text:
      return value.is_string() ? good : bad("must be text", field);
    case Kind::number:
      return value.is_number() || is_variable(value) ? good : bad("must be a number", field);
    case Kind::flag:
      return value.is_bool() ? good : bad("must be true or false", field);
    case Kind::any:
      return good;
    case Kind::pattern:
      return check_pattern_at(value, field);
    case Kind::patterns:
      return check_patterns(value, field);
    case Kind::texts:
      return check_texts(value, field);
    case Kind::map:
      return value.is_object() ? good : bad("must be an object", field);
    case Kind::proto:
      return check_proto(value, field);
    case Kind::skip:
      return value.is_bool() ? good : check_patterns(value, field);
    case Kind::body:
      if (!value.is_object()) return bad("must be an object", field);
      return check_keys(kResponse, value.get_object(), "response", field);
  }
  return good;
}

core::Result<void> check_keys(std::span<const Key> keys, const json::object& object,
                              std::string_view verb, const std::string& field) {
  for (const auto& member : object) {
    if (member.key() == verb || member.key() == "note") continue;
    const std::string at = field + "/" + std::string(member.key());
    const Key* found = nullptr;
    for (const Key& key : keys) {
      if (key.name == member.key()) found = &key;
    }
    if (found == nullptr) {
      return bad("'" + std::string(verb) + "' has no key '" + std::string(member.key()) + "'", at);
    }
    auto checked = check_kind(found->kind, member.value(), at);
    if (!checked) return checked;
  }
  return {};
}

// Rules over more than one key.
core::Result<void> check_together(const std::string& verb, const json::object& step) {
  if (verb == "connect") {
    const json::value* over = step.if_contains("over");
    static constexpr std::array<std::string_view, 5> kOver = {"websocket", "sse", "ndjson", "stdio",
                                                              "tcp"};
    for (const std::string_view name : kOver) {
      if (over != nullptr && over->get_string() == name) {
        const bool program = name == "stdio";
        return program == step.contains("command")
                   ? core::Result<void>()
                   : bad("'command' belongs to \"over\": \"stdio\", and only there", "/over");
      }
    }
    return bad("\"over\" must be websocket, sse, ndjson, stdio or tcp", "/over");
  }
  if (verb == "server") {
    const std::string_view what = step.at("server").get_string();
    if ((what == "log") != step.contains("text")) {
      return bad("'text' belongs to \"server\": \"log\", and only there", "/server");
    }
    const bool known =
        what == "kill" || what == "stop" || what == "start" || what == "restart" || what == "log";
    return known ? core::Result<void>()
                 : bad("must be kill, stop, start, restart or log", "/server");
  }
  if (verb == "expect" && step.contains("times") &&
      (step.contains("all") || step.contains("control"))) {
    return bad("'times' repeats one message: it goes with neither 'all' nor 'control'", "/times");
  }
  if (const json::value* times = step.if_contains("times")) {
    if (times->is_number() && times->to_number<double>() < 1) {
      return bad("must be at least 1", "/times");
    }
  }
  if (verb == "check" && !step.contains("is")) return bad("'check' needs 'is'", "/check");
  if (verb == "request" && !step.contains("path")) return bad("'request' needs 'path'", "/request");
  return {};
}

}  // namespace

core::Result<std::string> step_verb(const json::object& step) {
  std::string found;
  for (const auto& member : step) {
    if (find_verb(member.key()) == nullptr) continue;
    if (member.key() == "response" && step.contains("request")) continue;
    if (!found.empty()) {
      return core::fail(core::Code::invalid_argument, "a step does one thing, not both '" + found +
                                                          "' and '" + std::string(member.key()) +
                                                          "'");
    }
    found = member.key();
  }
  if (found.empty()) {
    std::string names;
    for (const Verb& verb : kVerbs) names += (names.empty() ? "" : ", ") + std::string(verb.name);
    return core::fail(core::Code::invalid_argument, "a step needs one of: " + names);
  }
  return found;
}

core::Result<void> check_step(const std::string& verb, const json::object& step) {
  const Verb* known = find_verb(verb);
  if (known == nullptr) return bad("unknown step '" + verb + "'", "");
  auto own = check_kind(known->kind, step.at(verb), "/" + verb);
  if (!own) return own;
  auto keys = check_keys(known->keys, step, verb, "");
  if (!keys) return keys;
  return check_together(verb, step);
}

}  // namespace parley::conformance
