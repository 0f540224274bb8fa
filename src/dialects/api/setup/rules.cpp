// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/core/result.h"
#include "dialects/api/disk_work.h"
#include "dialects/api/handlers.h"
#include "dialects/api/json_input.h"

namespace parley::api {
namespace {

using Habits = std::vector<search::Habit>;

constexpr std::string_view kPlace = "rules";

core::Error no_rules() {
  return {core::Code::not_found, "This server keeps no rules of agents.", {}};
}

// Passes the commands that the caller allows again and again to `use` (void(Call, Habits)).
template <typename Use>
void with_habits(const Context& context, Call call, Use use) {
  core::Scheduler& home = call.responder.scheduler();
  std::string owner = call.identity.workspace;
  context.search->habits(
      std::move(owner), home,
      [call = std::move(call), use = std::move(use)](core::Result<Habits> habits) mutable {
        if (!habits) return send_error(call, habits.error());
        use(std::move(call), *std::move(habits));
      });
}

core::Result<RuleRequest> read_rule_request(const Call& call) {
  RuleRequest request;
  PARLEY_TRY_VOID(read_object(call.request.body, [&](ObjectReader& in) {
    in.text("agent", request.agent, ObjectReader::Need::required);
    in.text("command", request.command, ObjectReader::Need::required);
    in.text("rule", request.rule, ObjectReader::Need::required);
    in.text("file", request.file, ObjectReader::Need::required);
    in.finish();
  }));
  request.by = call.identity.name;
  return request;
}

bool is_habit(const RuleRequest& request, const Habits& habits) {
  return std::any_of(habits.begin(), habits.end(), [&](const search::Habit& habit) {
    return habit.agent == request.agent && habit.command == request.command;
  });
}

}  // namespace

void list_rules(const Context& context, Call call) {
  if (!context.rules || context.search == nullptr) return send_error(call, no_rules());
  with_habits(context, std::move(call), [&context](Call from, Habits habits) {
    with_disk<std::string>(
        context, std::move(from), kPlace,
        [list = context.rules->list, habits = std::move(habits)] { return list(habits); },
        [](Call& asked, std::string json) { send_json(asked, 200, std::move(json)); });
  });
}

void make_rule(const Context& context, Call call) {
  if (!context.rules || context.search == nullptr) return send_error(call, no_rules());
  core::Result<RuleRequest> request = read_rule_request(call);
  if (!request) return send_error(call, request.error());
  with_habits(context, std::move(call),
              [&context, request = *std::move(request)](Call from, const Habits& habits) {
                if (!is_habit(request, habits)) {
                  return send_error(from, {core::Code::failed_precondition,
                                           "A rule needs a command that you have allowed " +
                                               std::to_string(search::kHabitCount) +
                                               " times here, and never denied.",
                                           "command"});
                }
                with_disk<std::string>(
                    context, std::move(from), kPlace,
                    [make = context.rules->make, request] { return make(request); },
                    [](Call& asked, std::string json) { send_json(asked, 201, std::move(json)); });
              });
}

void revoke_rule(const Context& context, Call call) {
  if (!context.rules) return send_error(call, no_rules());
  std::string id(call.request.path_param("id"));
  with_disk<std::monostate>(
      context, std::move(call), kPlace,
      [revoke = context.rules->revoke, id = std::move(id)]() -> core::Result<std::monostate> {
        PARLEY_TRY_VOID(revoke(id));
        return std::monostate();
      },
      [](Call& asked, std::monostate) {
        asked.responder.send(net::Response{204, {}, {}});
      });
}

}  // namespace parley::api
