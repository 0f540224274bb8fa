// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/json_writer.h"
#include "base/core/visible_text.h"
#include "dialects/api/handlers.h"
#include "dialects/api/json_input.h"

namespace parley::api {
namespace {

std::string_view when_name(notify::When when) {
  switch (when) {
    case notify::When::at_once:
      return "at_once";
    case notify::When::unseen:
      return "unseen";
    case notify::When::deadline:
      break;
  }
  return "deadline";
}

void write_when(core::JsonWriter& json, std::string_view name,
                const std::optional<core::WallTime>& at) {
  json.key(name);
  at ? json.number(core::to_unix_ms(*at)) : json.null();
}

void write_notifier(core::JsonWriter& json, const notify::NotifierState& state) {
  json.key("name").string(state.name).key("kind").string(state.kind);
  json.key("destination").string(state.destination);
  json.key("when").string(when_name(state.rule.when));
  json.key("after_ms").number(static_cast<std::int64_t>(state.rule.after.count()));
  json.key("projects").strings(state.rule.projects);
  json.key("agents").strings(state.rule.agents);
  json.key("tokens").strings(state.rule.tokens);
  write_when(json, "delivered_at", state.lane.delivered_at);
  write_when(json, "failed_at", state.lane.failed_at);
  json.key("failure").string(core::visible_line(state.lane.failure));
  json.key("delivered").number(state.lane.delivered).key("failures").number(state.lane.failures);
  json.key("waiting").number(static_cast<std::uint64_t>(state.lane.waiting));
  json.key("planned").number(static_cast<std::uint64_t>(state.planned));
}

// Without endpoint and keys, which are secrets of the browser.
void write_subscription(core::JsonWriter& json, const notify::PushSubscription& subscription) {
  json.key("id").string(subscription.id).key("name").string(subscription.name);
  json.key("created_at").number(core::to_unix_ms(subscription.created_at));
  write_when(json, "delivered_at", subscription.delivered_at);
  json.key("failure").string(core::visible_line(subscription.failure));
}

auto answering_nothing(Call call) {
  return [call = std::move(call)](const core::Result<void>& done) mutable {
    if (!done) return send_error(call, done.error());
    call.responder.send(net::Response{204, {}, {}});
  };
}

}  // namespace

void list_notifiers(const Context& context, Call call) {
  core::Scheduler& back = call.responder.scheduler();
  context.notify->notifiers(
      back,
      [call = std::move(call)](core::Result<std::vector<notify::NotifierState>> states) mutable {
        if (!states) return send_error(call, states.error());
        send_object(call, 200, [&](core::JsonWriter& json) {
          json.key("notifiers").objects(*states, write_notifier);
        });
      });
}

void test_notifier(const Context& context, Call call) {
  core::Scheduler& back = call.responder.scheduler();
  const std::string name(call.request.path_param("name"));
  context.notify->test(name, back, answering_nothing(std::move(call)));
}

void get_push_key(const Context& context, Call call) {
  if (context.notify->push_key().empty()) {
    return send_error(call, {core::Code::not_found, "This server sends no Web Push.", {}});
  }
  send_object(call, 200,
              [&](core::JsonWriter& json) { json.key("key").string(context.notify->push_key()); });
}

void list_subscriptions(const Context& context, Call call) {
  core::Scheduler& back = call.responder.scheduler();
  const std::string owner = call.identity.workspace;
  context.notify->subscriptions(
      owner, back,
      [call = std::move(call)](core::Result<std::vector<notify::PushSubscription>> list) mutable {
        if (!list) return send_error(call, list.error());
        send_object(call, 200, [&](core::JsonWriter& json) {
          json.key("subscriptions").objects(*list, write_subscription);
        });
      });
}

void add_subscription(const Context& context, Call call) {
  notify::SubscriptionInput input;
  const auto read = read_object(call.request.body, [&](ObjectReader& in) {
    in.text("endpoint", input.endpoint, ObjectReader::Need::required);
    in.object(
        "keys",
        [&](ObjectReader& keys) {
          keys.text("p256dh", input.p256dh, ObjectReader::Need::required);
          keys.text("auth", input.auth, ObjectReader::Need::required);
          keys.finish();
        },
        ObjectReader::Need::required);
    in.text("name", input.name);
    in.finish();
  });
  if (!read) return send_error(call, read.error());
  core::Scheduler& back = call.responder.scheduler();
  const std::string owner = call.identity.workspace;
  input.token = call.identity.token_id;
  context.notify->subscribe(
      owner, std::move(input), back,
      [call = std::move(call)](core::Result<notify::PushSubscription> created) mutable {
        if (!created) return send_error(call, created.error());
        send_object(call, 201, [&](core::JsonWriter& json) { write_subscription(json, *created); });
      });
}

void remove_subscription(const Context& context, Call call) {
  core::Scheduler& back = call.responder.scheduler();
  const std::string id(call.request.path_param("id"));
  const std::string owner = call.identity.workspace;
  context.notify->unsubscribe(owner, id, back, answering_nothing(std::move(call)));
}

void test_subscription(const Context& context, Call call) {
  core::Scheduler& back = call.responder.scheduler();
  const std::string id(call.request.path_param("id"));
  const std::string owner = call.identity.workspace;
  context.notify->test_subscription(owner, id, back, answering_nothing(std::move(call)));
}

}  // namespace parley::api
