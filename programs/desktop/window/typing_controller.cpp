// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/window/typing_controller.h"

#include <algorithm>
#include <utility>

#include "base/core/visible_text.h"

namespace parley::desktop {
namespace {

constexpr int kWindowGone = 3;  // exit code of agentassistant-input

std::size_t count_characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

bool names_window(const pb::ChatMessage& message) {
  return message.forward_target().mode() == pb::ForwardTarget::SPECIFIC_WINDOW;
}

}  // namespace

TypingController::~TypingController() {
  if (dialog_ != nullptr) close_dialog();
}

void TypingController::configure(bool enabled, std::string window, Language language) {
  enabled_ = enabled;
  window_ = std::move(window);
  language_ = language;
  if (enabled) return;
  jobs_.erase(jobs_.begin() + (busy_ ? 1 : 0), jobs_.end());
  program_.stop_typing();
  if (dialog_ != nullptr) {
    close_dialog();
    skip();
  }
}

void TypingController::take(const pb::ChatMessage& message, const std::string& server) {
  if (!enabled_ || message.content().empty()) return;
  if (!program_.found()) {
    handler_.on_not_typed(message, server, say(language_, Text::no_typing_program));
    return;
  }
  if (message.content().size() > kMaxJobBytes) {
    handler_.on_not_typed(message, server, say(language_, Text::too_long));
    return;
  }
  if (jobs_.size() >= kMaxTypingJobs) {
    handler_.on_not_typed(message, server, say(language_, Text::too_many_messages));
    return;
  }
  jobs_.push_back({message, server});
  if (!busy_) begin_next();
}

void TypingController::begin_next() {
  if (jobs_.empty()) return;
  busy_ = true;
  const std::size_t characters = count_characters(jobs_.front().message.content());
  if (characters > kLongText) {
    confirm_long(characters);
  } else {
    find_window();
  }
}

void TypingController::confirm_long(std::size_t characters) {
  const std::string question = say(language_, Text::long_text, std::to_string(characters));
  const std::string hint = say(language_, Text::long_text_hint,
                               core::visible_line(jobs_.front().message.sender_nickname()));
  dialog_ = gtk_message_dialog_new(nullptr, static_cast<GtkDialogFlags>(0), GTK_MESSAGE_QUESTION,
                                   GTK_BUTTONS_NONE, "%s", question.c_str());
  gtk_message_dialog_format_secondary_text(GTK_MESSAGE_DIALOG(dialog_), "%s", hint.c_str());
  gtk_dialog_add_button(GTK_DIALOG(dialog_), say(language_, Text::cancel).c_str(),
                        GTK_RESPONSE_CANCEL);
  gtk_dialog_add_button(GTK_DIALOG(dialog_), say(language_, Text::type_it).c_str(),
                        GTK_RESPONSE_ACCEPT);
  gtk_window_set_title(GTK_WINDOW(dialog_), "Parley");
  gtk_window_set_focus_on_map(GTK_WINDOW(dialog_), FALSE);
  connect<&TypingController::on_confirmed>(dialog_, "response", this);
  gtk_widget_show(dialog_);
  confirm_timer_.start(kConfirmMs, [this] {
    close_dialog();
    end(say(language_, Text::nobody_agreed));
  });
}

void TypingController::close_dialog() {
  confirm_timer_.cancel();
  disconnect(dialog_, this);
  gtk_widget_destroy(dialog_);
  dialog_ = nullptr;
}

void TypingController::on_confirmed(GtkDialog* /*dialog*/, gint response) {
  close_dialog();
  if (response == GTK_RESPONSE_ACCEPT) {
    find_window();
  } else {
    skip();
  }
}

// Ends the first job without a failure to show, because a person has decided.
void TypingController::skip() {
  jobs_.pop_front();
  busy_ = false;
  begin_next();
}

// The number of a window is valid for its lifetime only, so a chosen window is looked up by its
// title each time.
void TypingController::find_window() {
  const pb::ChatMessage& message = jobs_.front().message;
  if (names_window(message) && !message.forward_target().window_id().empty()) {
    type_into(message.forward_target().window_id());
    return;
  }
  if (window_.empty()) {
    type_into({});
    return;
  }
  program_.list_windows([this](const std::vector<TypingWindow>& windows) {
    const auto found =
        std::find_if(windows.begin(), windows.end(),
                     [&](const TypingWindow& window) { return window.title == window_; });
    if (found == windows.end()) {
      end(say(language_, Text::window_gone, core::visible_line(window_)));
    } else {
      type_into(found->id);
    }
  });
}

void TypingController::type_into(const std::string& window) {
  if (!enabled_) return skip();
  program_.type(jobs_.front().message.content(), window, [this, window](const TypingEnd& ended) {
    if (!enabled_) return skip();
    if (ended.code == 0) return end({});
    if (ended.code == kWindowGone) {
      return end(say(language_, Text::window_gone, core::visible_line(window)));
    }
    end(ended.failure.empty() ? say(language_, Text::no_typing_program) : ended.failure);
  });
}

void TypingController::end(const std::string& failure) {
  const Job job = std::move(jobs_.front());
  jobs_.pop_front();
  busy_ = false;
  if (failure.empty()) {
    handler_.on_typed();
  } else {
    handler_.on_not_typed(job.message, job.server, failure);
  }
  if (!busy_) begin_next();
}

}  // namespace parley::desktop
