// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "agents/hook/hook_event.h"
#include "agents/mcp/ask_command.h"

namespace parley::app {

// Longest wait for the answer to a test prompt, in seconds.
inline constexpr int kTestPromptSeconds = 120;

// The end of a question that a person is asked to try the way from an agent to a person.
struct TestPromptEnd {
  mcp::AskExit exit = mcp::AskExit::other;
  std::string place;  // as answered_place(); empty: it was not answered, or that is not known
  std::string error;  // one line, unless it was answered
};

// The command that asks.
enum class TestPrompt { doctor, setup };

// The question and its choice, in the language of the person.
struct TestQuestion {
  std::string text;
  std::string choice;
};
TestQuestion test_question(TestPrompt prompt, hook::Language language);

// Asks at the running server of a data directory, as an agent would, in the language of the
// environment, and waits for the answer. Ctrl-C withdraws the question. Must be called before any
// thread.
TestPromptEnd ask_test_prompt(const std::string& data, TestPrompt prompt);

// The channel and the name by which the newest answered interaction with this text was answered,
// for a person: "in the console, as laptop"; empty: unknown. `answer`: of GET /v1/interactions.
std::string answered_place(const boost::json::object& answer, std::string_view question);

}  // namespace parley::app
