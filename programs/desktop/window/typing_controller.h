// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtk/gtk.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "agentassist.pb.h"
#include "programs/desktop/texts.h"
#include "programs/desktop/window/glib_object.h"
#include "programs/desktop/window/typing_program.h"

namespace parley::desktop {

namespace pb = agentassistproto;

class TypingHandler {
 public:
  virtual ~TypingHandler() = default;
  virtual void on_typed() = 0;
  // `reason`: a sentence for a person.
  virtual void on_not_typed(const pb::ChatMessage& message, const std::string& server,
                            const std::string& reason) = 0;
};

// Types chat messages one after the other. A person must agree to a long one; without an answer it
// is not typed, so that no old text arrives in another window.
class TypingController {
 public:
  explicit TypingController(TypingHandler& handler) : handler_(handler) {}
  TypingController(const TypingController&) = delete;
  TypingController& operator=(const TypingController&) = delete;
  ~TypingController();

  // `window`: title of the window to type into; empty: the focused window. Switching typing off
  // drops the waiting messages and stops the one that is being typed.
  void configure(bool enabled, std::string window, Language language);
  // No effect while typing is off. The handler gets `server` back.
  void take(const pb::ChatMessage& message, const std::string& server);

  bool enabled() const { return enabled_; }
  TypingProgram& program() { return program_; }

 private:
  struct Job {
    pb::ChatMessage message;
    std::string server;
  };

  void begin_next();
  void confirm_long(std::size_t characters);
  void close_dialog();
  void on_confirmed(GtkDialog* dialog, gint response);
  void skip();
  void find_window();
  void type_into(const std::string& window);
  void end(const std::string& failure);

  TypingHandler& handler_;
  TypingProgram program_;
  std::deque<Job> jobs_;  // if busy_, the first is being typed or confirmed
  bool busy_ = false;
  bool enabled_ = false;
  std::string window_;
  Language language_ = Language::english;
  GtkWidget* dialog_ = nullptr;
  Timer confirm_timer_;
};

inline constexpr std::size_t kLongText = 10'000;  // characters, above which a person must agree
inline constexpr guint kConfirmMs = 120'000;
inline constexpr std::size_t kMaxTypingJobs = 100;
inline constexpr std::size_t kMaxJobBytes = 1U << 20U;  // agentassistant-input types no longer text

}  // namespace parley::desktop
