// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <memory>

#include "base/core/json_writer.h"
#include "base/core/utf8.h"
#include "dialects/api/handlers.h"
#include "dialects/api/json_input.h"
#include "dialects/api/session/interaction_json.h"
#include "identity/access/authority.h"
#include "identity/access/entrance.h"
#include "model/session/workspace.h"

namespace parley::api {
namespace {

constexpr std::string_view kPrefix = "/v1/interactions/";
// Limit (/v1): interactions in one list. Reached: `more` is true.
constexpr std::uint64_t kMaxListed = 100;
constexpr std::uint64_t kFromTheEnd =
    static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

// The order of a list: the places of an inbox are `before` of its next page.
enum class Order : std::uint8_t { by_opening, by_change };

void send_list(const Context& context, Call call, const std::vector<event::StoredInteraction>& list,
               bool more, Order order = Order::by_opening) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("epoch").string(context.store.epoch());
  json.key("more").boolean(more);
  if (order == Order::by_change && !list.empty()) {
    json.key("first_change").number(list.front().row.change);
    json.key("last_change").number(list.back().row.change);
  }
  json.key("interactions").begin_array();
  for (const event::StoredInteraction& stored : list) {
    if (auto written = write_interaction(json, stored); !written) {
      return send_error(call, written.error());
    }
  }
  json.end_array().end_object();
  send_page(context, std::move(call), std::move(out));
}

void list_pending(const Context& context, Call call, const event::SessionRow& row) {
  core::Scheduler& scheduler = call.responder.scheduler();
  context.store.pending(row.id, scheduler,
                        [&context, call = std::move(call)](
                            core::Result<std::vector<event::StoredInteraction>> list) mutable {
                          if (!list) return send_error(call, list.error());
                          send_list(context, std::move(call), *list, false);
                        });
}

void list_inbox(const Context& context, Call call, event::InboxQuery query) {
  core::Scheduler& scheduler = call.responder.scheduler();
  context.store.inbox(
      std::move(query), scheduler,
      [&context, call = std::move(call)](core::Result<event::InboxPage> page) mutable {
        if (!page) return send_error(call, page.error());
        send_list(context, std::move(call), page->interactions, page->more, Order::by_change);
      });
}

// Lists the interactions of a session: a page of "opened" events, then the current state of each
// by its key. The store's threads share the reads.
class Listing : public std::enable_shared_from_this<Listing> {
 public:
  Listing(const Context& context, Call call, event::EventPage page)
      : context_(context), call_(std::move(call)), page_(std::move(page)) {}

  void start() {
    left_ = page_.events.size();
    list_.resize(left_);
    if (left_ == 0) return send_list(context_, std::move(call_), list_, page_.more);
    for (std::size_t i = 0; i < list_.size(); ++i) read(page_.events[i], list_[i]);
  }

 private:
  void read(const event::Event& opened, event::StoredInteraction& out) {
    const auto interaction = session::interaction_from_payloads(opened.payload, {});
    if (!interaction) return settle(&interaction.error());
    context_.store.interaction(opened.session, interaction->key, call_.responder.scheduler(),
                               [self = shared_from_this(),
                                &out](core::Result<std::optional<event::StoredInteraction>> found) {
                                 if (found && !found->has_value()) {
                                   found =
                                       core::fail(core::Code::data_loss,
                                                  "A listed interaction is missing in the store.");
                                 }
                                 if (found) out = std::move(**found);
                                 self->settle(found ? nullptr : &found.error());
                               });
  }

  void settle(const core::Error* error) {
    if (error != nullptr && !error_) error_ = *error;
    if (--left_ > 0) return;
    error_ ? send_error(call_, *error_) : send_list(context_, std::move(call_), list_, page_.more);
  }

  const Context& context_;
  Call call_;
  event::EventPage page_;
  std::vector<event::StoredInteraction> list_;
  std::size_t left_ = 0;  // reads
  std::optional<core::Error> error_;
};

void list_all(const Context& context, Call call, const event::SessionRow& row) {
  const auto limit = query_number(call.request, "limit", kMaxListed, 1, kMaxListed);
  const auto before = query_number(call.request, "before", kFromTheEnd, 1, kFromTheEnd);
  const auto max_bytes =
      query_number(call.request, "max_bytes", event::kMaxPageBytes, 1, event::kMaxPageBytes);
  if (!limit) return send_error(call, limit.error());
  if (!before) return send_error(call, before.error());
  if (!max_bytes) return send_error(call, max_bytes.error());
  if (session::is_inbox(row)) {
    return list_inbox(context, std::move(call), {row.owner, *before, false, *limit, *max_bytes});
  }
  event::ReadQuery query;
  query.session = row.id;
  query.before = *before;
  query.limit = *limit;
  query.max_bytes = *max_bytes;
  query.types = {"interaction.opened"};
  core::Scheduler& scheduler = call.responder.scheduler();
  context.store.read(
      std::move(query), scheduler,
      [&context, call = std::move(call)](core::Result<event::EventPage> page) mutable {
        if (!page) return send_error(call, page.error());
        std::make_shared<Listing>(context, std::move(call), std::move(*page))->start();
      });
}

void get_interaction(const Context& context, Call call, const std::string& key) {
  std::string session = call.request.query_param("session").value_or("");
  with_owned_session(
      context, std::move(call), std::move(session),
      [&context, key](Call found, event::SessionRow row) {
        core::Scheduler& scheduler = found.responder.scheduler();
        find_interaction(context, row, key, scheduler,
                         [call = std::move(found)](
                             core::Result<std::optional<event::StoredInteraction>> stored) mutable {
                           if (!stored) return send_error(call, stored.error());
                           if (!stored->has_value()) {
                             return send_error(call, {core::Code::not_found,
                                                      "No interaction has this key.", "key"});
                           }
                           std::string out;
                           core::JsonWriter json(out);
                           if (auto written = write_interaction(json, **stored); !written) {
                             return send_error(call, written.error());
                           }
                           send_json(call, 200, std::move(out));
                         });
      });
}

// 200 if this request ended the interaction; 409 if another one did, with its outcome for a caller
// that may read it.
void send_receipt(Call& call, const core::Result<session::AnswerReceipt>& receipt) {
  if (!receipt) return send_error(call, receipt.error());
  std::string out;
  core::JsonWriter json(out);
  json.begin_object();
  if (!receipt->won) {
    json.key("code").string(core::code_name(core::Code::aborted));
    json.key("message").string(
        receipt->interaction
            ? "This interaction is already closed: " +
                  std::string(session::state_name(receipt->interaction->state)) + "."
            : "This interaction is already closed.");
  }
  json.key("won").boolean(receipt->won);
  if (receipt->interaction) {
    json.key("interaction");
    write_interaction(json, *receipt->interaction);
  }
  json.end_object();
  send_json(call, receipt->won ? 200 : core::http_status(core::Code::aborted), std::move(out));
}

using Act = absl::AnyInvocable<void(session::Session&, session::Session::AnswerDone)>;

// Runs an Act on the session's shard and sends the answer on the call's thread. A session in memory
// needs no row of the store, which may be away: the answer waits there for its commit.
class Acting : public std::enable_shared_from_this<Acting> {
 public:
  Acting(const Context& context, Call call, Act act)
      : context_(context),
        call_(std::move(call)),
        back_(call_.responder.scheduler()),
        act_(std::move(act)) {}

  void start() {
    const auto named = call_.request.query_param("session");
    id_ = named && !named->empty() ? *named : own_session_id(call_.identity);
    context_.hub.post_home(id_, [self = shared_from_this()](session::Shard& shard) {
      session::Session* const session = shard.find(self->id_);
      if (session != nullptr && session->owner() == self->call_.identity.workspace) {
        return self->act_on(*session);
      }
      self->back_.post([self] { self->find_stored(); });
    });
  }

 private:
  void find_stored() {
    with_owned_session(context_, std::move(call_), id_,
                       [self = shared_from_this()](Call found, const event::SessionRow& row) {
                         self->call_ = std::move(found);
                         self->context_.hub.with_session(
                             {row.id, row.dialect, row.owner},
                             [self](core::Result<session::Session*> session) {
                               if (!session) return self->finish(core::fail(session.error()));
                               self->act_on(**session);
                             });
                       });
  }
  void act_on(session::Session& session) {
    act_(session, [self = shared_from_this()](core::Result<session::AnswerReceipt> receipt) {
      self->finish(std::move(receipt));
    });
  }
  // On the session's shard, or without one. The call ends on its own thread.
  void finish(core::Result<session::AnswerReceipt> receipt) {
    context_.hub.post_home(id_, [id = id_](session::Shard& shard) { shard.release(id); });
    back_.post([call = std::move(call_), receipt = std::move(receipt)]() mutable {
      send_receipt(call, receipt);
    });
  }

  const Context& context_;
  Call call_;
  core::Scheduler& back_;
  Act act_;
  std::string id_;
};

void act_on(const Context& context, Call call, Act act) {
  std::make_shared<Acting>(context, std::move(call), std::move(act))->start();
}

// The caller, under the name that it gives itself.
session::Actor actor_of(const Call& call, session::ActorName name) {
  if (name.client_id.empty()) name.client_id = "v1";
  if (name.nickname.empty()) name.nickname = call.identity.name;
  name.nickname = core::utf8_truncate(name.nickname, core::limits::kMaxNicknameBytes);
  return {access::authority_of(call.identity), std::move(name), session::Channel::api};
}

void answer_interaction(const Context& context, Call call, const std::string& key) {
  auto input = read_answer(call.request.body);
  if (!input) return send_error(call, input.error());
  session::Actor by = actor_of(call, std::move(input->actor));
  by.shown = std::move(input->shown);
  act_on(context, std::move(call),
         [key, answer = std::move(input->answer), by = std::move(by)](
             session::Session& session, session::Session::AnswerDone done) mutable {
           session.answer(key, std::move(answer), std::move(by), std::move(done));
         });
}

void cancel_interaction(const Context& context, Call call, const std::string& key) {
  auto input = read_cancel(call.request.body);
  if (!input) return send_error(call, input.error());
  session::Actor by = actor_of(call, std::move(input->actor));
  act_on(context, std::move(call),
         [key, reason = std::move(input->reason), by = std::move(by)](
             session::Session& session, session::Session::AnswerDone done) mutable {
           session.cancel(key, std::move(reason), std::move(by), std::move(done));
         });
}

// A person has seen the question: notices that wait for nobody to see it are not sent.
void see_interaction(const Context& context, Call call, const std::string& key) {
  if (context.notify == nullptr) {
    return send_error(call, {core::Code::not_found, "This server sends no notifications.", {}});
  }
  std::string session_id = call.request.query_param("session").value_or("");
  with_owned_session(
      context, std::move(call), std::move(session_id),
      [&context, key](Call found, const event::SessionRow& row) {
        core::Scheduler& back = found.responder.scheduler();
        auto reply = [call = std::move(found)](const core::Result<void>& seen) mutable {
          if (!seen) return send_error(call, seen.error());
          call.responder.send(net::Response{204, {}, {}});
        };
        context.hub.with_session(
            {row.id, row.dialect, row.owner},
            [&notify = *context.notify, &back, id = row.id, key,
             reply = std::move(reply)](const core::Result<session::Session*>& session) mutable {
              // An inbox shows questions of other sessions.
              const session::InteractionPtr asked =
                  session ? (*session)->find_pending(key) : nullptr;
              notify.seen(asked ? asked->session : id, key, back, std::move(reply));
            });
      });
}

void wrong_method(Call& call, std::string_view allow) {
  net::Response response = net::Response::error(
      {core::Code::unimplemented, "This path accepts only " + std::string(allow) + ".", "method"});
  response.status = 405;
  response.headers.set("Allow", std::string(allow));
  call.responder.send(std::move(response));
}

}  // namespace

void find_interaction(const Context& context, const event::SessionRow& row, const std::string& key,
                      core::Scheduler& scheduler,
                      event::SessionStore::Done<std::optional<event::StoredInteraction>> done) {
  if (session::is_inbox(row)) {
    return context.store.inbox_interaction(row.owner, key, row.id, scheduler, std::move(done));
  }
  context.store.interaction(row.id, key, scheduler, std::move(done));
}

void list_interactions(const Context& context, Call call) {
  const std::string state = call.request.query_param("state").value_or("pending");
  if (state != "pending" && state != "all") {
    return send_error(call,
                      {core::Code::invalid_argument, "\"state\" must be pending or all.", "state"});
  }
  std::string session = call.request.query_param("session").value_or("");
  with_owned_session(context, std::move(call), std::move(session),
                     [&context, all = state == "all"](Call found, event::SessionRow row) {
                       if (all) {
                         list_all(context, std::move(found), row);
                       } else if (session::is_inbox(row)) {
                         list_inbox(context, std::move(found), {row.owner, std::nullopt, true});
                       } else {
                         list_pending(context, std::move(found), row);
                       }
                     });
}

void on_interaction(const Context& context, Call call) {
  const std::vector<std::string> parts = target_parts(call.request, kPrefix);
  const bool reads = parts.size() == 2 && (parts[1] == "paths" || parts[1] == "commands");
  const bool known =
      reads || parts.size() == 1 ||
      (parts.size() == 2 && (parts[1] == "answer" || parts[1] == "cancel" || parts[1] == "seen"));
  if (!known) {
    return send_error(
        call, {core::Code::not_found, "There is nothing at " + call.request.path + ".", {}});
  }
  const bool get = call.request.method == "GET" || call.request.method == "HEAD";
  if (parts.size() == 1) {
    if (!get) return wrong_method(call, "GET");
    return get_interaction(context, std::move(call), parts[0]);
  }
  if (get != reads) return wrong_method(call, reads ? "GET" : "POST");
  const std::string row = "/v1/interactions/{key}/" + parts[1];
  const access::Row& needed = access::row_of(reads ? "GET" : "POST", row);
  if (const auto allowed = access::check_right(needed, call.identity.rights); !allowed) {
    return send_error(call, allowed.error());
  }
  if (parts[1] == "commands") {
    list_commands(context, std::move(call), parts[0]);
  } else if (reads) {
    complete_path(context, std::move(call), parts[0]);
  } else if (parts[1] == "answer") {
    answer_interaction(context, std::move(call), parts[0]);
  } else if (parts[1] == "seen") {
    see_interaction(context, std::move(call), parts[0]);
  } else {
    cancel_interaction(context, std::move(call), parts[0]);
  }
}

}  // namespace parley::api
