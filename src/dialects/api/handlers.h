// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dialects/api/api.h"

// The handlers of the routes; docs/openapi.json describes each.
namespace parley::api {

// sessions.cpp
void get_me(const Context& context, Call call);
void list_sessions(const Context& context, Call call);
void get_session(const Context& context, Call call);

// events.cpp
void get_events(const Context& context, Call call);
// Answers 200 with a page of any size: a large one is compressed on Context::disk.
void send_page(const Context& context, Call call, std::string body);

// interactions.cpp
void list_interactions(const Context& context, Call call);
// Finds the interaction of a key: in the inbox of an owner, also that of another session of the
// owner.
void find_interaction(const Context& context, const event::SessionRow& row, const std::string& key,
                      core::Scheduler& scheduler,
                      event::SessionStore::Done<std::optional<event::StoredInteraction>> done);
// Handles all routes below /v1/interactions/. Reads the key from the target as sent, because the
// decoded path does not distinguish "/" from "%2F".
void on_interaction(const Context& context, Call call);

// paths.cpp
void complete_path(const Context& context, Call call, const std::string& key);
void list_commands(const Context& context, Call call, const std::string& key);

// ask.cpp
void ask(const Context& context, Call call);
void post_notice(const Context& context, Call call);

// search.cpp
void search_entries(const Context& context, Call call);
void get_statistics(const Context& context, Call call);

// decisions.cpp
void list_decisions(const Context& context, Call call);

// studies.cpp
void list_studies(const Context& context, Call call);
void summarize_studies(const Context& context, Call call);
void get_study(const Context& context, Call call);
void get_study_calls(const Context& context, Call call);
void verify_study(const Context& context, Call call);

// study_log.cpp
void get_study_log(const Context& context, Call call);

// study_kit.cpp
void list_kit(const Context& context, Call call);
void get_kit_study(const Context& context, Call call);
void assign_participant(const Context& context, Call call);

// runs.cpp
void list_runs(const Context& context, Call call);
void start_run(const Context& context, Call call);
void get_run(const Context& context, Call call);
void cancel_run(const Context& context, Call call);
void resume_run(const Context& context, Call call);
void fork_run(const Context& context, Call call);
void answer_approval(const Context& context, Call call);
void list_checkpoints(const Context& context, Call call);
void get_checkpoint(const Context& context, Call call);

// run_events.cpp
void get_run_events(const Context& context, Call call);

// run_sessions.cpp
void list_run_sessions(const Context& context, Call call);
void get_run_session(const Context& context, Call call);
void delete_run_session(const Context& context, Call call);

// run_offers.cpp
void list_models(const Context& context, Call call);
void list_agents(const Context& context, Call call);
void show_agent_graph(const Context& context, Call call);
void list_tools(const Context& context, Call call);

// notifications.cpp
void list_notifiers(const Context& context, Call call);
void test_notifier(const Context& context, Call call);
void get_push_key(const Context& context, Call call);
void list_subscriptions(const Context& context, Call call);
void add_subscription(const Context& context, Call call);
void remove_subscription(const Context& context, Call call);
void test_subscription(const Context& context, Call call);

// answer_links.cpp
void install_answer_links(net::Router& router, const Context& context);

// setup.cpp
void get_setup(const Context& context, Call call);

// rules.cpp
void list_rules(const Context& context, Call call);
void make_rule(const Context& context, Call call);
void revoke_rule(const Context& context, Call call);

// tls.cpp
void get_tls(const Context& context, Call call);
void open_tailnet(const Context& context, Call call);
// GET /ca.crt and GET /ca.mobileconfig, open to all.
void install_authority(net::Router& router, const Context& context);

// tokens.cpp
void list_tokens(const Context& context, Call call);
void create_token(const Context& context, Call call);
void rename_token(const Context& context, Call call);
void revoke_token(const Context& context, Call call);

}  // namespace parley::api
