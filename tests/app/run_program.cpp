// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "run_program.h"

#include <algorithm>
#include <fstream>
#include <thread>

#include "program.h"

namespace parley::tests {
namespace {

// A zombie counts as gone: its new parent has to reap it.
bool is_missing(int pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(stat, line);
  const std::size_t at = line.rfind(") ");
  return at == std::string::npos || line[at + 2] == 'Z' || line[at + 2] == 'X';
}

}  // namespace

RunFrame RunFrame::read(std::string line) {
  RunFrame frame;
  boost::system::error_code error;
  boost::json::value parsed = boost::json::parse(line, error);
  EXPECT_TRUE(!error && parsed.is_object()) << "no frame: " << line;
  if (!error && parsed.is_object()) frame.json = std::move(parsed.get_object());
  frame.line = std::move(line);
  return frame;
}

std::string RunFrame::text(std::string_view name) const {
  const boost::json::value* found = json.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

std::uint64_t RunFrame::id() const {
  const boost::json::value* found = json.if_contains("event_id");
  return found != nullptr && found->is_number() ? found->to_number<std::uint64_t>() : 0;
}

RunProgram::RunProgram(const core::TempFolder& dir, std::vector<std::string> words) {
  words.insert(words.begin(), {"run", "--json"});
  auto started = conformance::Process::start(command(dir, std::move(words)));
  EXPECT_TRUE(started) << started.error().message;
  if (!started) return;
  process_ = std::move(*started);
  process_->close_input();
}

std::optional<RunFrame> RunProgram::take_line() {
  const std::size_t end = waiting_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  frames.push_back(RunFrame::read(waiting_.substr(0, end)));
  waiting_.erase(0, end + 1);
  return frames.back();
}

std::optional<RunFrame> RunProgram::next() {
  while (true) {
    if (auto frame = take_line()) return frame;
    if (!process_->read_some(waiting_, in_ms(kPatience)).value_or(false)) return std::nullopt;
  }
}

void RunProgram::let_run(core::Millis time) {
  const auto end = in_ms(time.count());
  while (process_->read_some(waiting_, end).value_or(false)) {
  }
}

void RunProgram::kill_now() {
  process_->signal(SIGKILL);
  EXPECT_TRUE(process_->wait(in_ms(kPatience)));
  while (process_->read_some(waiting_, in_ms(kPatience)).value_or(false)) {
  }
  while (take_line()) {
  }
}

int RunProgram::wait() {
  while (next()) {
  }
  return process_->wait(in_ms(kPatience)).value_or(-1);
}

std::string model_settings(const core::TempFolder& dir, const model::ScriptedModel& model) {
  std::string path = dir.file("parley.toml");
  std::ofstream(path) << "[[models.providers]]\nname = \"local\"\nbase_url = \"" << model.base_url()
                      << "\"\nmodels = [\"scripted\"]\n";
  return path;
}

std::vector<int> read_pids(const std::string& path) {
  std::vector<int> out;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) out.push_back(std::stoi(line));
  }
  return out;
}

bool all_gone(const std::vector<int>& pids) {
  const auto end = in_ms(kPatience);
  while (!std::ranges::all_of(pids, is_missing)) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace parley::tests
