// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The steps that open connections, send requests and start programs.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/core/hex.h"
#include "base/core/utf8.h"
#include "tools/conformance/bytes.h"
#include "tools/conformance/case_run.h"

namespace parley::conformance {
namespace json = boost::json;
namespace {

std::map<std::string, std::string> environment_of(const json::object& body) {
  std::map<std::string, std::string> out;
  const json::value* env = body.if_contains("env");
  if (env == nullptr) return out;
  for (const auto& member : env->as_object()) {
    const json::value& value = member.value();
    out[std::string(member.key())] =
        value.is_string() ? std::string(value.get_string()) : json::serialize(value);
  }
  return out;
}

// The words of an array as text; a word that is not a string is written as JSON.
std::vector<std::string> command_of(const json::value& words) {
  std::vector<std::string> out;
  for (const json::value& word : words.as_array()) {
    out.push_back(word.is_string() ? std::string(word.get_string()) : json::serialize(word));
  }
  return out;
}

bool names_header(const HeaderList& headers, std::string_view name) {
  for (const auto& field : headers) {
    if (field.first == name) return true;
  }
  return false;
}

}  // namespace

core::Result<Codec> CaseRun::codec_of(const Body& body) {
  Codec codec;
  const std::string name = text_of(body, "codec");
  codec.message = body.contains("message") ? text_of(body, "message") : case_.proto.message;
  if (name == "bytes") {
    codec.kind = Codec::Kind::bytes;
  } else if (name == "proto" || (name.empty() && !case_.proto.path.empty())) {
    codec.kind = Codec::Kind::proto;
    auto schema = surroundings_.schemas->get(case_.proto.path);
    if (!schema) return core::fail(schema.error());
    codec.schema = *schema;
  } else if (!name.empty() && name != "text") {
    return core::fail(core::Code::invalid_argument, "a codec is text, proto or bytes");
  }
  return codec;
}

StepResult CaseRun::connect_websocket(const Body& body, Connection& created) {
  auto codec = codec_of(body);
  if (!codec) return Trouble{codec.error().message};
  WebSocketSettings settings;
  settings.path = text_of(body, "path");
  settings.headers = headers_of(body);
  settings.codec = std::move(*codec);
  const json::value* deflate = body.if_contains("deflate");
  settings.deflate = deflate != nullptr && deflate->as_bool();
  if (const json::value* protocols = body.if_contains("subprotocols")) {
    settings.subprotocols = command_of(*protocols);
  }
  auto wire = open_websocket(surroundings_.target, settings, in_ms(within_ms(body)));
  if (!wire) return Trouble{"no WebSocket: " + wire.error().message};
  created.wire = std::move(*wire);
  return std::nullopt;
}

StepResult CaseRun::connect_stream(const Body& body, Connection& created) {
  StreamSettings settings;
  const bool sse = text_of(body, "over") == "sse";
  settings.kind = sse ? StreamSettings::Kind::sse : StreamSettings::Kind::ndjson;
  settings.path = text_of(body, "path");
  settings.headers = headers_of(body);
  if (body.contains("method")) settings.method = text_of(body, "method");
  if (const json::value* sent = body.if_contains("json")) {
    settings.body = json::serialize(*sent);
    if (!body.contains("method")) settings.method = "POST";
    settings.headers.emplace_back("Content-Type", "application/json");
  }
  if (!names_header(settings.headers, "Accept")) {
    settings.headers.emplace_back("Accept", sse ? "text/event-stream" : "application/x-ndjson");
  }
  auto opened = open_stream(surroundings_.target, settings, in_ms(within_ms(body)));
  if (!opened) return Trouble{"no stream: " + opened.error().message};
  created.wire = std::move(opened->wire);
  const json::value* status = body.if_contains("status");
  const json::value wanted = status == nullptr ? json::value(200) : *status;
  if (auto trouble = compare(wanted, json::value(opened->status), "another status")) return trouble;
  const json::value* headers = body.if_contains("response_headers");
  if (headers == nullptr) return std::nullopt;
  return compare(*headers, json::value(opened->headers), "the header fields are others");
}

StepResult CaseRun::connect_program(const Body& body, Connection& created) {
  Process::Start how;
  how.command = command_of(body.at("command"));
  how.env = environment_of(body);
  how.cwd = text_of(body, "cwd");
  auto wire = open_program(how);
  if (!wire) return Trouble{"no program: " + wire.error().message};
  created.wire = std::move(*wire);
  return std::nullopt;
}

StepResult CaseRun::connect(const Body& body) {
  Connection created;
  const std::string name = text_of(body, "connect");
  const std::string over = text_of(body, "over");
  note(name, "--", "connect over " + over + " " + text_of(body, "path"));
  if (const json::value* ignore = body.if_contains("ignore")) created.ignore = ignore->as_array();
  StepResult trouble;
  if (over == "websocket") {
    trouble = connect_websocket(body, created);
  } else if (over == "stdio") {
    trouble = connect_program(body, created);
  } else if (over == "tcp") {
    auto wire = open_tcp(surroundings_.target, in_ms(within_ms(body)));
    if (!wire) return Trouble{"no connection: " + wire.error().message};
    created.wire = std::move(*wire);
  } else {
    trouble = connect_stream(body, created);
  }
  if (trouble) return trouble;
  connections_.insert_or_assign(name, std::move(created));
  return std::nullopt;
}

StepResult CaseRun::fill_body(const Body& body, HttpRequest& request) {
  std::string type;
  if (const json::value* sent = body.if_contains("json")) {
    request.body = json::serialize(*sent);
    type = "application/json";
  } else if (body.contains("text")) {
    request.body = text_of(body, "text");
    type = "text/plain; charset=utf-8";
  } else if (body.contains("hex")) {
    auto bytes = from_hex(text_of(body, "hex"));
    if (!bytes) return Trouble{bytes.error().message};
    request.body = std::move(*bytes);
    type = "application/octet-stream";
  } else if (const json::value* proto = body.if_contains("proto")) {
    auto schema = surroundings_.schemas->get(case_.proto.path);
    if (!schema) return Trouble{schema.error().message};
    auto bytes = (*schema)->encode(text_of(proto->as_object(), "message"), proto->at("value"));
    if (!bytes) return Trouble{bytes.error().message};
    request.body = std::move(*bytes);
    type = "application/proto";
  }
  const json::value* compressed = body.if_contains("gzip");
  if (compressed != nullptr && compressed->as_bool()) {
    request.body = gzip(request.body);
    request.headers.emplace_back("Content-Encoding", "gzip");
  }
  if (!type.empty() && !names_header(request.headers, "Content-Type")) {
    request.headers.emplace_back("Content-Type", type);
  }
  return std::nullopt;
}

StepResult CaseRun::request(const Body& body) {
  const std::string name = text_of(body, "request");
  HttpRequest request;
  request.path = text_of(body, "path");
  request.headers = headers_of(body);
  if (auto trouble = fill_body(body, request)) return trouble;
  const bool has_body = body.contains("json") || body.contains("text") || body.contains("hex") ||
                        body.contains("proto");
  request.method = body.contains("method") ? text_of(body, "method") : (has_body ? "POST" : "GET");
  note(name, "->",
       request.method + " " + request.path + " " +
           (has_body ? brief(json::value(body), 400) : std::string()));
  auto started = HttpExchange::start(surroundings_.target, request, deadline_of(body));
  if (!started) return Trouble{"could not send: " + started.error().message};
  const json::value* wanted = body.if_contains("response");
  if (wanted != nullptr) return check_response(wanted->as_object(), **started, name);
  exchanges_.insert_or_assign(name, std::move(*started));
  return std::nullopt;
}

StepResult CaseRun::response(const Body& body) {
  const std::string name = text_of(body, "response");
  const auto found = exchanges_.find(name);
  if (found == exchanges_.end()) return Trouble{"no request has this name"};
  auto trouble = check_response(body, *found->second, name);
  exchanges_.erase(found);
  return trouble;
}

StepResult CaseRun::check_response(const Body& body, HttpExchange& exchange,
                                   const std::string& name) {
  const Deadline deadline = deadline_of(body);
  const auto head = exchange.head(deadline);
  if (!head) return Trouble{"no response: " + head.error().message};
  const auto bytes = exchange.body(deadline);
  if (!bytes) return Trouble{"the body broke off: " + bytes.error().message};
  note(name, "<-",
       std::to_string(head->status) + " " +
           (core::is_utf8(*bytes) ? *bytes : core::hex_text(*bytes)));
  const json::value* status = body.if_contains("status");
  const json::value wanted = status == nullptr ? json::value(200) : *status;
  if (auto trouble = compare(wanted, json::value(head->status), "another status")) {
    trouble->what +=
        ": " + (core::is_utf8(*bytes) ? bytes->substr(0, 400) : core::hex_text(*bytes));
    return trouble;
  }
  if (const json::value* headers = body.if_contains("headers")) {
    auto trouble = compare(*headers, json::value(head->headers), "the header fields are others");
    if (trouble) return trouble;
  }
  return check_body(body, *bytes);
}

StepResult CaseRun::check_body(const Body& body, const std::string& bytes) {
  const std::string what = "the body is another";
  if (const json::value* pattern = body.if_contains("json")) {
    boost::system::error_code error;
    const json::value value = json::parse(bytes, error);
    if (error) return Trouble{"the body is not JSON", {"", brief(*pattern), bytes.substr(0, 400)}};
    if (auto trouble = compare(*pattern, value, what)) return trouble;
  }
  if (const json::value* pattern = body.if_contains("text")) {
    const json::value text =
        core::is_utf8(bytes) ? json::value(bytes) : json::value(core::hex_text(bytes));
    if (auto trouble = compare(*pattern, text, what)) return trouble;
  }
  if (const json::value* pattern = body.if_contains("hex")) {
    if (auto trouble = compare(*pattern, json::value(core::hex_text(bytes)), what)) return trouble;
  }
  const json::value* proto = body.if_contains("proto");
  if (proto == nullptr) return std::nullopt;
  auto schema = surroundings_.schemas->get(case_.proto.path);
  if (!schema) return Trouble{schema.error().message};
  auto value = (*schema)->decode(text_of(proto->as_object(), "message"), bytes);
  if (!value)
    return Trouble{value.error().message, {"", "protobuf", core::hex_text(bytes).substr(0, 400)}};
  return compare(proto->at("value"), *value, what);
}

StepResult CaseRun::run_program(const Body& body) {
  Process::Start how;
  how.command = command_of(body.at("run"));
  how.env = environment_of(body);
  auto process = Process::start(how);
  if (!process) return Trouble{process.error().message};
  const Deadline deadline = deadline_of(body);
  if (body.contains("stdin")) {
    const auto written = (*process)->write_all(text_of(body, "stdin"), deadline);
    if (!written) return Trouble{"standard input: " + written.error().message};
  }
  (*process)->close_input();
  std::string output;
  while (true) {
    const auto more = (*process)->read_some(output, deadline);
    if (!more) return Trouble{"the program did not end: " + more.error().message};
    if (!*more) break;
  }
  const auto status = (*process)->wait(deadline);
  if (!status) return Trouble{status.error().message};
  note(how.command.front(), "<-", "exit " + std::to_string(*status) + " " + output);
  const json::value* wanted = body.if_contains("exit");
  auto trouble = compare(wanted == nullptr ? json::value(0) : *wanted, json::value(*status),
                         "the program ended in another way");
  if (trouble) {
    trouble->what += ": " + (*process)->errors();
    return trouble;
  }
  if (const json::value* pattern = body.if_contains("stdout")) {
    trouble = compare(*pattern, json::value(output), "its standard output is another");
    if (trouble) return trouble;
  }
  const json::value* errors = body.if_contains("stderr");
  if (errors == nullptr) return std::nullopt;
  return compare(*errors, json::value((*process)->errors()), "its standard error is another");
}

}  // namespace parley::conformance
