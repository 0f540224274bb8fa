// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/conformance/case_runner.h"
#include "tools/conformance/http_client.h"
#include "tools/conformance/variables.h"
#include "tools/conformance/wire.h"

namespace parley::conformance {

// A failed step; std::nullopt: the step passed.
struct Trouble {
  std::string what;
  Mismatch mismatch = {};
};
using StepResult = std::optional<Trouble>;

// The state of one running case: its named connections, open requests and variables. Each member
// function named after a verb executes one step, whose variables have been replaced.
class CaseRun {
 public:
  CaseRun(const Case& wanted, const Surroundings& surroundings);

  CaseResult run();

 private:
  struct Connection {
    std::unique_ptr<Wire> wire;
    boost::json::array ignore;
  };
  using Body = boost::json::object;
  using Handler = StepResult (CaseRun::*)(const Body&);
  static Handler handler_of(const std::string& verb);

  StepResult step(const Step& step);

  StepResult connect(const Body& body);
  StepResult connect_websocket(const Body& body, Connection& created);
  StepResult connect_stream(const Body& body, Connection& created);
  StepResult connect_program(const Body& body, Connection& created);
  StepResult send(const Body& body);
  StepResult expect(const Body& body);
  StepResult expect_one(const Body& body, Connection& connection, const std::string& name);
  StepResult expect_all(const Body& body, Connection& connection, const std::string& name);
  StepResult expect_stream(const Body& body, Connection& connection, const std::string& name);
  StepResult expect_nothing(const Body& body);
  StepResult expect_close(const Body& body);
  StepResult close(const Body& body);
  StepResult drop(const Body& body);
  StepResult expect_exit(const Body& body);
  StepResult request(const Body& body);
  StepResult response(const Body& body);
  StepResult wait(const Body& body);
  StepResult set(const Body& body);
  StepResult check(const Body& body);
  StepResult run_program(const Body& body);
  StepResult server(const Body& body);
  StepResult expect_log(const Body& body, const ServerProcess& server);

  StepResult check_response(const Body& body, HttpExchange& exchange, const std::string& name);
  StepResult check_body(const Body& body, const std::string& bytes);
  StepResult fill_body(const Body& body, HttpRequest& request);
  core::Result<Codec> codec_of(const Body& body);

  StepResult compare(const boost::json::value& pattern, const boost::json::value& value,
                     const std::string& what);
  // Compares a message with all patterns of an expect step.
  StepResult compare_message(const Body& body, const Received& received);
  bool is_ignored(const boost::json::array& patterns, const Received& received);
  Connection* find(const Body& body, std::string_view verb);
  Deadline deadline_of(const Body& body) const;
  std::int64_t within_ms(const Body& body) const;
  void note(const std::string& name, std::string_view arrow, const std::string& what);
  void note_received(const std::string& name, const Received& received);
  std::string hide_tokens(std::string text) const;

  const Case& case_;
  Surroundings surroundings_;
  Variables variables_;
  core::MonoTime started_;
  std::map<std::string, Connection, std::less<>> connections_;
  std::map<std::string, std::unique_ptr<HttpExchange>, std::less<>> exchanges_;
  std::vector<std::string> trace_;
};

// The member of a step as text; empty: absent.
std::string text_of(const boost::json::object& body, std::string_view key);
HeaderList headers_of(const boost::json::object& body);

}  // namespace parley::conformance
