// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/core/id.h"
#include "base/core/json_writer.h"
#include "dialects/api/handlers.h"
#include "dialects/api/session/interaction_json.h"
#include "identity/access/authority.h"
#include "model/session/notice_key.h"
#include "model/session/subscription.h"

namespace parley::api {
namespace {

using session::InteractionPtr;

// Delays the HTTP answer until the interaction ends, at most for AskInput::wait. The interaction
// itself ends only by an answer, a cancellation or its deadline; until then its callback keeps this
// object alive.
class AskReply : public std::enable_shared_from_this<AskReply> {
 public:
  AskReply(session::Hub& hub, session::SessionKey key, Call call, core::Millis wait)
      : call_(std::move(call)),
        scheduler_(call_->responder.scheduler()),
        wait_(wait),
        subscription_(hub, std::move(key), scheduler_) {}

  // `opened` runs once, when the interaction is durable and pending.
  void start(session::AskRequest request, std::function<void()> opened = {}) {
    on_opened_ = std::move(opened);
    subscription_.ask(
        std::move(request),
        [self = shared_from_this()](const InteractionPtr& interaction) {
          self->opened(interaction);
        },
        [self = shared_from_this()](const core::Result<InteractionPtr>& ended) {
          self->ended(ended);
        });
  }

 private:
  void opened(const InteractionPtr& interaction) {
    if (on_opened_) std::exchange(on_opened_, {})();
    if (!call_) return;
    if (wait_ <= core::Millis(0)) return send(201, *interaction);
    timer_ = scheduler_.after(wait_, [self = shared_from_this(), interaction] {
      self->timer_ = 0;
      if (self->call_) self->send(201, *interaction);
    });
  }

  void ended(const core::Result<InteractionPtr>& result) {
    if (!call_) return;
    scheduler_.cancel(std::exchange(timer_, 0));
    if (result) return send(200, **result);
    send_error(*call_, result.error());
    call_.reset();
  }

  void send(int status, const session::Interaction& interaction) {
    std::string out;
    core::JsonWriter json(out);
    write_interaction(json, interaction);
    send_json(*call_, status, std::move(out));
    call_.reset();
  }

  std::optional<Call> call_;
  core::Scheduler& scheduler_;
  const core::Millis wait_;
  core::TimerId timer_ = 0;
  session::Subscription subscription_;
  std::function<void()> on_opened_;
};

// Ends the pending notices that the notice `key` of the asker `by` replaces, and the oldest beyond
// kMaxNotices.
void end_older(const std::string& key, const session::Authority& by, session::Session& session) {
  const std::string_view replace = session::parse_notice_key(key)->replace;
  std::vector<std::string> names;
  for (const InteractionPtr& each : session.pending()) {
    const auto notice = session::parse_notice_key(each->key);
    if (!notice) continue;
    const bool same = !replace.empty() && notice->replace == replace && each->key != key;
    if (same && session::permitted(by, *each, session::Deed::cancel)) {
      session.withdraw(each->key, "A newer notice replaced it.", by);
    } else {
      names.push_back(each->key);
    }
  }
  if (names.size() <= session::kMaxNotices) return;
  for (std::size_t i = 0; i < names.size() - session::kMaxNotices; ++i) {
    session.withdraw(names[i], "There were too many notices.",
                     session::Authority::of_notice_limit());
  }
}

}  // namespace

void ask(const Context& context, Call call) {
  auto input = read_ask(call.request.body, access::authority_of(call.identity));
  if (!input) return send_error(call, input.error());
  if (input->request.key.empty()) {
    input->request.key = core::new_id(call.responder.scheduler().clock(), context.entropy);
  }
  std::string session_id = call.request.query_param("session").value_or("");
  with_owned_session(
      context, std::move(call), std::move(session_id),
      [&context, input = std::move(*input)](Call found, event::SessionRow row) mutable {
        input.request.gate = context.gate;
        std::make_shared<AskReply>(context.hub, session::SessionKey{row.id, row.dialect, row.owner},
                                   std::move(found), input.wait)
            ->start(std::move(input.request));
      });
}

void post_notice(const Context& context, Call call) {
  const session::Authority by = access::authority_of(call.identity);
  auto input = read_notice(call.request.body, by);
  if (!input) return send_error(call, input.error());
  input->request.key = session::notice_key(
      input->kind, core::new_id(call.responder.scheduler().clock(), context.entropy),
      input->replace);
  with_owned_session(
      context, std::move(call), {},
      [&context, by, input = std::move(*input)](Call found, event::SessionRow row) mutable {
        input.request.gate = context.gate;
        const session::SessionKey where{row.id, row.dialect, row.owner};
        auto opened = [&context, where, by, key = input.request.key] {
          context.hub.with_session(where, [key, by](core::Result<session::Session*> session) {
            if (session) end_older(key, by, **session);
          });
        };
        std::make_shared<AskReply>(context.hub, where, std::move(found), core::Millis(0))
            ->start(std::move(input.request), std::move(opened));
      });
}

}  // namespace parley::api
