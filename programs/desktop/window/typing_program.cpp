// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/window/typing_program.h"

#include <boost/json.hpp>
#include <csignal>
#include <filesystem>
#include <utility>

namespace parley::desktop {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTypingProgram = "agentassistant-input";
constexpr std::size_t kMaxListedWindows = 200;
constexpr guint kListingMs = 5'000;

std::string find_typing_program() {
  std::error_code failed;
  const fs::path beside = fs::read_symlink("/proc/self/exe", failed).parent_path() / kTypingProgram;
  if (!failed && fs::exists(beside, failed)) return beside.string();
  const TextPtr in_path(g_find_program_in_path(kTypingProgram));
  return text_or_empty(in_path.get());
}

std::string without_name(std::string words) {
  const std::string name = std::string(kTypingProgram) + ": ";
  if (words.starts_with(name)) words.erase(0, name.size());
  while (words.ends_with('\n')) words.pop_back();
  return words;
}

}  // namespace

struct TypingProgram::Run {
  std::shared_ptr<bool> alive;
  std::function<void(const TypingEnd&)> done;
};

TypingProgram::TypingProgram() : path_(find_typing_program()) {}

TypingProgram::~TypingProgram() {
  *alive_ = false;
  stop_typing();
}

ObjectPtr<GSubprocess> TypingProgram::run(std::vector<std::string> arguments,
                                          const std::string* text,
                                          std::function<void(const TypingEnd&)> done) {
  arguments.insert(arguments.begin(), path_);
  std::vector<const char*> words;
  words.reserve(arguments.size() + 1);
  for (const std::string& each : arguments) words.push_back(each.c_str());
  words.push_back(nullptr);
  int flags = G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE;
  if (text != nullptr) flags |= G_SUBPROCESS_FLAGS_STDIN_PIPE;
  GError* error = nullptr;
  ObjectPtr<GSubprocess> process(
      g_subprocess_newv(words.data(), static_cast<GSubprocessFlags>(flags), &error));
  if (!process) {
    const ErrorPtr owned(error);
    g_idle_add_full(
        G_PRIORITY_DEFAULT,
        [](gpointer data) -> gboolean {
          const auto& ended = *static_cast<Run*>(data);
          if (*ended.alive) ended.done({-1, {}, {}});
          return G_SOURCE_REMOVE;
        },
        new Run{alive_, std::move(done)}, [](gpointer data) { delete static_cast<Run*>(data); });
    return nullptr;
  }
  g_subprocess_communicate_utf8_async(
      process.get(), text == nullptr ? nullptr : text->c_str(), nullptr,
      [](GObject* object, GAsyncResult* result, gpointer data) {
        const std::unique_ptr<Run> ended(static_cast<Run*>(data));
        char* out = nullptr;
        char* err = nullptr;
        g_subprocess_communicate_utf8_finish(G_SUBPROCESS(object), result, &out, &err, nullptr);
        const TextPtr output(out);
        const TextPtr words_of_failure(err);
        if (!*ended->alive) return;
        const bool exited = g_subprocess_get_if_exited(G_SUBPROCESS(object)) != FALSE;
        ended->done({exited ? g_subprocess_get_exit_status(G_SUBPROCESS(object)) : -1,
                     text_or_empty(out), without_name(text_or_empty(err))});
      },
      new Run{alive_, std::move(done)});
  return process;
}

void TypingProgram::list_windows(std::function<void(std::vector<TypingWindow>)> done) {
  listeners_.push_back(std::move(done));
  if (listeners_.size() > 1) return;
  listing_ = run({"--list-windows"}, nullptr,
                 [this](const TypingEnd& ended) { end_listing(ended.output); });
  if (!listing_) return;
  listing_timer_.start(kListingMs, [this] { g_subprocess_force_exit(listing_.get()); });
}

void TypingProgram::end_listing(const std::string& output) {
  listing_timer_.cancel();
  const std::vector<TypingWindow> windows = read_windows(output);
  for (const auto& listener : std::exchange(listeners_, {})) listener(windows);
}

void TypingProgram::type(const std::string& text, const std::string& window,
                         std::function<void(const TypingEnd&)> done) {
  std::vector<std::string> arguments = {"--stdin"};
  if (!window.empty()) {
    arguments.emplace_back("--window-id");
    arguments.push_back(window);
  }
  typing_ = run(std::move(arguments), &text, std::move(done));
}

void TypingProgram::stop_typing() {
  if (typing_) g_subprocess_send_signal(typing_.get(), SIGTERM);
}

std::vector<TypingWindow> read_windows(const std::string& json) {
  boost::system::error_code failed;
  const boost::json::value value = boost::json::parse(json, failed);
  std::vector<TypingWindow> windows;
  if (failed.failed() || !value.is_array()) return windows;
  for (const boost::json::value& each : value.get_array()) {
    const boost::json::object* const object = each.if_object();
    if (object == nullptr || windows.size() >= kMaxListedWindows) continue;
    const boost::json::value* const id = object->if_contains("window_id");
    const boost::json::value* const title = object->if_contains("title");
    if (id == nullptr || title == nullptr || !id->is_string() || !title->is_string()) continue;
    windows.push_back({std::string(id->get_string()), std::string(title->get_string())});
  }
  return windows;
}

}  // namespace parley::desktop
