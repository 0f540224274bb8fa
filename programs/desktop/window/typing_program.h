// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gio/gio.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "programs/desktop/link_frames.h"
#include "programs/desktop/window/glib_object.h"

namespace parley::desktop {

struct TypingEnd {
  int code = 0;  // exit code of agentassistant-input; -1: not started, or ended by a signal
  std::string output;
  std::string failure;  // the text on stderr, without the name of the program
};

// Runs agentassistant-input: the program beside this one, else that of PATH. Texts go through
// stdin, so no process list shows them. Callbacks run on the main loop, never inside the call, and
// not after the destruction of this object.
class TypingProgram {
 public:
  TypingProgram();
  TypingProgram(const TypingProgram&) = delete;
  TypingProgram& operator=(const TypingProgram&) = delete;
  ~TypingProgram();

  bool found() const { return !path_.empty(); }
  // One run answers all calls that come meanwhile; it is ended after 5 s. An empty list: no
  // windows, or this session cannot list them (Wayland).
  void list_windows(std::function<void(std::vector<TypingWindow>)> done);
  // `window`: empty for the window that has the focus. One text at a time.
  void type(const std::string& text, const std::string& window,
            std::function<void(const TypingEnd&)> done);
  // Ends type() between two keys; its callback follows.
  void stop_typing();

 private:
  struct Run;
  // Null: the program could not be started.
  ObjectPtr<GSubprocess> run(std::vector<std::string> arguments, const std::string* text,
                             std::function<void(const TypingEnd&)> done);
  void end_listing(const std::string& output);

  std::string path_;
  ObjectPtr<GSubprocess> typing_;   // the last run of type()
  ObjectPtr<GSubprocess> listing_;  // the last run of list_windows()
  std::vector<std::function<void(std::vector<TypingWindow>)>> listeners_;  // of list_windows()
  Timer listing_timer_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// Reads the JSON of --list-windows; empty if it is not of that form.
std::vector<TypingWindow> read_windows(const std::string& json);

}  // namespace parley::desktop
