// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// ChatConnection: commands of a client, the end of a run before its time, answers to questions.
#include <algorithm>
#include <utility>

#include "base/core/ask.h"
#include "base/core/json_writer.h"
#include "base/core/utf8.h"
#include "dialects/chat/chat_connection.h"
#include "runtime/tool/inbox.h"

namespace parley::chat {
namespace {

using core::Result;

constexpr std::string_view kHelp =
    "Commands:\n\n- `/help` lists the commands.\n- `/clear` begins a new conversation; the agent "
    "forgets this one.\n- `/compact` puts a summary in the place of the conversation.\n\nAnything "
    "else is said to the agent.";

}  // namespace

void ChatConnection::user_order(const ClientMessage& message) {
  if (message.content == "/compact") return user_message(message);
  if (starting_) return refuse(message.request_id, kBusy);
  if (message.content == "/clear") return clear(message);
  if (!view_.run_id().empty()) return refuse(message.request_id, kBusy);
  if (message.content == "/help") return help(message);
  unknown_order(message);
}

// Stores the command as an event, which all clients get. If that fails, only this client gets the
// answer.
void ChatConnection::help(const ClientMessage& message) {
  const ChatCommand command{message.request_id, message.content, std::string(kHelp)};
  const auto show = [command](ChatConnection& self) {
    self.frames_.set_place(self.scheduler().clock().wall(), 0);
    self.view_.show_command(command);
  };
  if (!context_.gate.admit()) return show(*this);
  auto shared =
      answering<std::uint64_t>([show](ChatConnection& self, const Result<std::uint64_t>& seq) {
        if (!seq) show(self);
      });
  append(std::string(kCommandType), command_payload(command),
         core::reply_on(scheduler(), std::move(shared)));
}

void ChatConnection::unknown_order(const ClientMessage& message) {
  refuse(message.request_id,
         "There is no command \"" +
             std::string(core::utf8_truncate(message.content, kMaxRequestIdBytes)) + "\". " +
             std::string(kHelp));
  if (frames_.generation() == Generation::second) {
    frames_.prompt(message.request_id, prompt::kComplete, "Complete.");
  } else {
    frames_.complete(message.request_id, {});
  }
}

// Ends the run in progress first: one that waits for a page that was reloaded would block the
// session until its deadline.
void ChatConnection::clear(const ClientMessage& message) {
  starting_ = Starting{message.request_id, {}};
  if (view_.run_id().empty()) return append_clear(message.request_id);
  check_run([this, id = message.request_id](bool goes_on) {
    if (!goes_on) return append_clear(id);
    clears_after_ = id;
    cancel_run();
  });
}

// Stores an event, which all clients get.
void ChatConnection::append_clear(const std::string& request_id) {
  auto cleared = answering<std::uint64_t>(
      [id = request_id](ChatConnection& self, const Result<std::uint64_t>& seq) {
        self.end_clear(id);
        if (!seq) self.refuse(id, seq.error().message);
      });
  std::string payload;
  core::JsonWriter json(payload);
  json.begin_object().key("request_id").string(request_id).end_object();
  append(std::string(kClearType), std::move(payload),
         core::reply_on(scheduler(), std::move(cleared)));
}

void ChatConnection::end_clear(std::string_view request_id) {
  const bool clears = starting_ && starting_->run_id.empty();
  if (clears && starting_->request_id == request_id) starting_.reset();
}

void ChatConnection::interrupt(const ClientMessage& message) {
  if (starting_ && starting_->request_id == message.request_id) {
    starting_->interrupted = true;
    return cancel_start(starting_->run_id);
  }
  if (view_.run_id().empty() || view_.request_id() != message.request_id) {
    frames_.set_place(scheduler().clock().wall(), 0);
    return frames_.complete(message.request_id, {});
  }
  cancel_run();
}

// Ends a run whose launch may take long, for example because an MCP server does not answer. A run
// that is not being launched yet is cancelled by on_started().
void ChatConnection::cancel_start(const std::string& run_id) {
  if (run_id.empty()) return;
  context_.runs.cancel(caller_.owner, run_id, scheduler(),
                       answering<run::Run>([](ChatConnection& /*self*/, const auto& /*run*/) {}));
}

// A frame with the end of the run follows, even if the run has ended already.
void ChatConnection::cancel_run() {
  if (interrupted_ == view_.run_id()) return;
  interrupted_ = view_.run_id();
  context_.runs.cancel(caller_.owner, view_.run_id(), scheduler(),
                       answering<run::Run>([](ChatConnection& self, const Result<run::Run>& run) {
                         if (run) return;
                         self.interrupted_.clear();  // it may be cancelled again
                         if (!self.clears_after_) return;
                         const std::string id = *std::exchange(self.clears_after_, std::nullopt);
                         self.end_clear(id);
                         self.refuse(id, run.error().message);
                       }));
}

// --- questions of the agent ----------------------------------------------------------------------

// The oldest question of the run in progress that this client has not answered.
WaitingQuestion* ChatConnection::open_question() {
  if (view_.run_id().empty()) return nullptr;
  const std::string prefix = tool::question_prefix(view_.run_id());
  const auto found =
      std::find_if(questions_.begin(), questions_.end(), [&](const WaitingQuestion& question) {
        return !question.answered && question.key.starts_with(prefix);
      });
  return found == questions_.end() ? nullptr : &*found;
}

// The run goes on as the answer to this message: its frames have the id of this request.
void ChatConnection::answer_question(const ClientMessage& message, WaitingQuestion& question) {
  question.answered = true;
  session::Answer answer = core::text_answer(words_of(message));
  answer.meta.emplace(kAnswerRequest, message.request_id);
  subscription_.answer(
      question.key, std::move(answer),
      {caller_.authority, {client_id_, caller_.name}, session::Channel::chat},
      [this, id = message.request_id,
       key = question.key](const Result<session::AnswerReceipt>& receipt) {
        if (receipt && receipt->won) return;
        for (WaitingQuestion& still : questions_) {
          if (still.key == key) still.answered = false;
        }
        refuse_run(id, receipt ? "The question is already answered." : receipt.error().message);
      });
}

}  // namespace parley::chat
