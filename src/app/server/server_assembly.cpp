// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/server_assembly.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "app/server/cluster_assembly.h"
#include "app/server/config.h"
#include "app/server/data_directory.h"
#include "app/server/front_end_folder.h"
#include "app/server/identity_poll.h"
#include "app/server/loop_round.h"
#include "app/server/mcp_assembly.h"
#include "app/server/notify_assembly.h"
#include "app/server/oauth_assembly.h"
#include "app/server/phone_token.h"
#include "app/server/private_memory.h"
#include "app/server/run_assembly.h"
#include "app/server/server_gauges.h"
#include "app/server/service_kind.h"
#include "app/server/setup_assembly.h"
#include "app/server/shared_secrets.h"
#include "app/server/study_assembly.h"
#include "app/server/tailnet_assembly.h"
#include "app/server/tls_assembly.h"
#include "app/server/version.h"
#include "base/certificate/interface_addresses.h"
#include "base/core/assert.h"
#include "base/core/clock.h"
#include "base/core/corrected_clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/core/work_gate.h"
#include "base/core/worker.h"
#include "base/net/http/console_assets.h"
#include "base/net/http/health.h"
#include "base/net/http/metrics.h"
#include "base/net/http/static_files.h"
#include "base/net/loop/loop.h"
#include "base/net/loop/tcp.h"
#include "base/net/server/server.h"
#include "dialects/api/api.h"
#include "dialects/assistant/routes.h"
#include "dialects/chat/account_routes.h"
#include "identity/access/entrance.h"
#include "identity/accounts/account_service.h"
#include "identity/accounts/login_verifier.h"
#include "identity/auth/token_store.h"
#include "model/event/disk_watch.h"
#include "model/event/postgres_session_store.h"
#include "model/session/hub.h"
#include "runtime/tool/process/child_environment.h"
#include "services/search/search_service.h"

namespace parley::app {
namespace {

using core::Code;

// Longest time for the recovery of pending interactions before the start fails.
constexpr std::chrono::seconds kRecoveryTimeout{120};
constexpr core::Millis kGaugeInterval{1'000};
constexpr core::Millis kRoundPatience{250};
// Limit (Cluster): move of a node's slots to others when it ends. Reached: the others take the rest
// when it has left.
constexpr core::Millis kMovePatience{3'000};
constexpr std::string_view kNotReady = "The server is starting or shutting down.";

std::string reachable_host(const net::Endpoint& endpoint) {
  if (endpoint.host == "0.0.0.0") return "127.0.0.1";
  if (endpoint.host == "::") return "::1";
  return endpoint.host;
}

}  // namespace

struct ServerAssembly::Parts {
  explicit Parts(const Settings& from) : settings(from) {}

  core::Result<void> open_stores();
  void start_loops();
  core::Result<std::size_t> recover();
  core::Result<void> first_token();
  core::Result<void> open_studies();
  core::Result<void> open_agents();
  core::Result<void> open_notifications();
  core::Result<void> open_oauth();
  core::Result<void> join_cluster();
  void poll();
  void take_up(const placement::SlotSet& slots, core::Task done);
  void open_mcp();
  void add_gauges();
  void sample(std::size_t index);
  void pass_all_loops() { wait_for_round(schedulers(), kRoundPatience); }
  void write_out();
  net::Router make_router();
  core::Result<void> load_front_end();
  tl::expected<void, StartFailure> begin_listening(bool in_tailnet);
  void note_tailnet(const std::string& origin);
  void open_tailnet(std::function<void(core::Result<void>)> done);
  std::vector<core::Scheduler*> schedulers() const;

  Settings settings;
  core::SystemClock system_clock;
  core::CorrectedClock clock{system_clock};
  core::SystemEntropy entropy;
  net::SystemNetwork tcp;
  TlsAssembly tls{settings, clock, tcp};
  TailnetAssembly tailnet{settings.data, clock, tcp,
                          tailnet::TailscaleProgram(tool::process_environment()),
                          [this](const std::string& origin) { note_tailnet(origin); }};
  net::Metrics metrics;
  core::WorkGate gate;
  std::unique_ptr<core::Worker> disk_worker;
  std::shared_ptr<event::DiskWatch> disk;
  std::vector<std::unique_ptr<net::Loop>> loops;
  std::vector<std::unique_ptr<ShardGauges>> gauges;
  core::Worker search_worker{clock};  // indexes and searches; the store passes what it stored
  std::unique_ptr<search::SearchService> search;
  core::Worker path_worker{clock};  // lists the files of projects
  std::unique_ptr<tool::PathFinder> paths;
  std::unique_ptr<ClusterAssembly> cluster;  // null: the server is alone
  std::unique_ptr<event::ThreadedSessionStore> store;
  std::unique_ptr<auth::TokenStore> tokens;
  core::Worker token_worker{clock};  // reads the file of tokens
  SharedRead reread{token_worker, [this] { poll(); }};
  std::unique_ptr<accounts::AccountStore> accounts;
  std::unique_ptr<accounts::LoginVerifier> verifier;  // verifies tokens and logins
  std::unique_ptr<accounts::AccountService> account_service;
  std::string token;
  std::string mcp_key;
  std::unique_ptr<session::Hub> hub;
  std::unique_ptr<assistant::AssistantContext> assistant;
  std::unique_ptr<OauthAssembly> oauth;  // null: agents do not log in
  std::unique_ptr<McpAssembly> mcp_clients;
  std::unique_ptr<api::Context> v1;
  std::unique_ptr<StudyAssembly> studies;
  std::unique_ptr<RunAssembly> agents;
  std::unique_ptr<NotifyAssembly> notifications;  // null: none are sent
  net::StaticFiles console{net::console_assets()};
  std::unique_ptr<FrontEndFolder> front_end_folder;  // null: only the console
  std::unique_ptr<net::StaticFiles> front_end;
  std::unique_ptr<net::Server> server;
  std::vector<std::thread> threads;
  net::Endpoint endpoint;
  std::string url;
  EndpointFile endpoint_file;
  std::atomic<bool> ready{false};
  bool stopped = false;
};

core::Result<void> ServerAssembly::Parts::open_stores() {
  PARLEY_TRY(cluster, ClusterAssembly::make({settings, clock, entropy, tcp, metrics}));
  event::StoreOptions options;
  if (cluster) options.homes = &cluster->homes();
  options.place = settings.stores();
  options.group = settings.group;
  options.retention = settings.retention;
  search = std::make_unique<search::SearchService>(settings.stores(), search_worker);
  options.on_stored = [this](const event::Unit& unit) { search->note(unit); };
  PARLEY_TRY(auto opened, event::open_session_store(options, clock, entropy));
  store = std::move(opened);
  search->start(*store);
  PARLEY_TRY(auto opened_tokens, auth::TokenStore::open(settings.stores(), clock, entropy));
  tokens = std::move(opened_tokens);
  PARLEY_TRY(auto opened_accounts,
             accounts::AccountStore::open(settings.stores(), clock, entropy, tokens->watchers()));
  accounts = std::move(opened_accounts);
  verifier = std::make_unique<accounts::LoginVerifier>(*tokens, *accounts);
  account_service = std::make_unique<accounts::AccountService>(*accounts, clock);
  disk_worker = std::make_unique<core::Worker>(clock);
  disk = std::make_shared<event::DiskWatch>(
      event::DiskLimits{settings.data, settings.min_free_bytes, settings.max_data_bytes}, gate,
      *disk_worker);
  disk->start();
  PARLEY_TRY(mcp_key, share_secrets(settings, clock, entropy));
  if (cluster) PARLEY_TRY_VOID(cluster->open());
  return first_token();
}

core::Result<void> ServerAssembly::Parts::first_token() {
  if (!settings.token.empty()) {
    tokens->allow_for_this_run(settings.token, "this-run");
    token = settings.token;
    return {};
  }
  const std::string place = cluster ? settings.cluster_node : certificate::host_name();
  PARLEY_TRY(token, ensure_first_token(settings.stores(), *tokens, place, clock.wall()));
  return {};
}

core::Result<void> ServerAssembly::Parts::open_studies() {
  PARLEY_TRY(auto opened, StudyAssembly::open({settings, *hub, *store, *verifier, clock, entropy,
                                               metrics, gate, token, owners_at_home(cluster.get()),
                                               shared_at_home(cluster.get())}));
  studies = std::move(opened);
  return {};
}

core::Result<void> ServerAssembly::Parts::open_agents() {
  PARLEY_TRY(auto opened, RunAssembly::open({settings, *hub, *store, *verifier, clock, entropy,
                                             metrics, gate, owners_at_home(cluster.get())}));
  agents = std::move(opened);
  return {};
}

core::Result<void> ServerAssembly::Parts::open_notifications() {
  PARLEY_TRY(auto opened,
             NotifyAssembly::open({settings, *hub, *tokens, *accounts, clock, entropy, metrics}));
  notifications = std::move(opened);
  return {};
}

core::Result<void> ServerAssembly::Parts::open_oauth() {
  if (!settings.mcp_oauth) return {};
  PARLEY_TRY(auto opened,
             OauthAssembly::open({settings, *tokens, *verifier, clock, entropy, metrics}));
  oauth = std::move(opened);
  return {};
}

void ServerAssembly::Parts::start_loops() {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t count = settings.shards > 0 ? settings.shards : cores;
  std::vector<std::unique_ptr<session::Shard>> shards;
  for (std::size_t i = 0; i < count; ++i) {
    loops.push_back(std::make_unique<net::Loop>(clock));
    gauges.push_back(std::make_unique<ShardGauges>());
    shards.push_back(
        std::make_unique<session::Shard>(*loops.back(), entropy, *store, settings.sessions));
  }
  hub = std::make_unique<session::Hub>(std::move(shards),
                                       cluster ? cluster->placement() : session::Placement());
  if (cluster) {
    cluster->open_ways(
        schedulers(),
        {*verifier, [this]() -> auth::Verifier* { return studies ? &studies->guests() : nullptr; },
         [this](core::Task done) { reread.ask(std::move(done)); }});
  }
  try {
    for (const auto& loop : loops) {
      threads.emplace_back([&loop = *loop] { loop.run(); });
    }
  } catch (...) {  // the system has no thread left
    for (const auto& loop : loops) loop->stop();
    for (std::thread& thread : std::exchange(threads, {})) thread.join();
    throw;
  }
  for (std::size_t i = 0; i < count; ++i) {
    loops[i]->post([this, i] { sample(i); });
  }
}

// Completes what this server has of the owners of slots that came here.
void ServerAssembly::Parts::take_up(const placement::SlotSet& slots, core::Task done) {
  reread.ask([this, slots, done = std::move(done)]() mutable {
    const auto gained = [slots](std::string_view owner) {
      return slots.test(placement::slot_of(owner));
    };
    agents->take_up(gained);
    if (!studies) return done();
    if (ClusterAssembly::has_shared(slots)) {
      done = [this, last = std::move(done)]() mutable {
        studies->take_up_bookings(*loops.front(), std::move(last));
      };
    }
    studies->take_up(gained, std::move(done));
  });
}

core::Result<void> ServerAssembly::Parts::join_cluster() {
  if (!cluster) return {};
  return cluster->join(
      {*hub, *store, *server, schedulers(), std::bind_front(&Parts::take_up, this)});
}

// A node of a cluster reads what is open when it gains the slots.
core::Result<std::size_t> ServerAssembly::Parts::recover() {
  if (cluster) return 0;
  auto promise = std::make_shared<std::promise<core::Result<std::size_t>>>();
  auto result = promise->get_future();
  hub->recover(*store, *loops.front(), [promise](core::Result<std::size_t> count) {
    promise->set_value(std::move(count));
  });
  if (result.wait_for(kRecoveryTimeout) != std::future_status::ready) {
    return core::fail(Code::deadline_exceeded,
                      "Reading the pending interactions from the store took too long.");
  }
  return result.get();
}

void ServerAssembly::Parts::sample(std::size_t index) {
  const session::ShardCounts counts = hub->shard(index).counts();
  gauges[index]->sessions = counts.sessions;
  gauges[index]->participants = counts.participants;
  gauges[index]->pending = counts.pending;
  loops[index]->after(kGaugeInterval, [this, index] { sample(index); });
}

// Call after the connections have ended. Two rounds pass the events of their ends from the shards
// to the store, and two rounds pass the commits from the store through the shards to the logs of
// studies.
void ServerAssembly::Parts::write_out() {
  if (!store) return;
  const bool running = !threads.empty();
  if (running && mcp_clients) mcp_clients->shut_down();
  if (running) pass_all_loops();
  if (studies) studies->write_out();
  if (running) pass_all_loops();
  search->stop();
  search_worker.stop();
  store->close();
  if (!running) return;
  pass_all_loops();
  pass_all_loops();
}

void ServerAssembly::Parts::add_gauges() {
  add_shard_gauges(metrics, gauges);
  add_server_gauges(metrics, {*store, *disk, gate, tls, *tokens, *account_service, tcp, clock});
  metrics.gauge("parley_connections", "Open connections",
                [this] { return server ? static_cast<double>(server->connection_count()) : 0.0; });
}

void ServerAssembly::Parts::open_mcp() {
  mcp_http::McpHttpOptions options;
  options.max_message_bytes = settings.max_message_bytes;
  if (oauth) options.login = oauth->login_hint();
  const McpDependencies dependencies{*hub,
                                     *store,
                                     gate,
                                     entropy,
                                     agents->runs(),
                                     agents->changes(),
                                     oauth ? oauth->verifier() : *verifier,
                                     metrics,
                                     ask_shape_of(settings.mcp_ask),
                                     settings.mcp_slice,
                                     settings.public_url,
                                     mcp_key};
  mcp_clients = std::make_unique<McpAssembly>(dependencies, schedulers(), options);
}

net::Router ServerAssembly::Parts::make_router() {
  assistant::AssistantOptions options;
  options.login_timeout = settings.login_timeout;
  options.max_frame_bytes = settings.max_message_bytes;
  options.max_rpc_bytes = settings.max_message_bytes;
  options.compression = settings.compression;
  options.server_version = std::string(kVersion);
  options.gate = &gate;
  if (cluster) options.homes = &cluster->ways();
  assistant = std::make_unique<assistant::AssistantContext>(*hub, *verifier, entropy, metrics,
                                                            std::move(options));
  v1 = std::make_unique<api::Context>(api::Context{*hub, *store, *tokens, entropy, token_worker});
  v1->verifier = verifier.get();
  v1->gate = &gate;
  if (cluster) v1->homes = &cluster->ways();
  v1->search = search.get();
  paths =
      std::make_unique<tool::PathFinder>(settings.data, process_environment()("HOME"), path_worker);
  v1->paths = paths.get();
  v1->project_folders = settings.project_folders;
  v1->tls = &tls.report();
  v1->open_tailnet = [this](auto done) { open_tailnet(std::move(done)); };
  v1->setup = setup_report();
  v1->rules = rule_editor(places_with(settings.data), clock, entropy);
  if (notifications) v1->notify = &notifications->service();
  v1->runs = &agents->runs();
  v1->run_changes = &agents->changes();
  if (studies) {
    v1->studies = &studies->studies();
    v1->kit = studies->kit();
    v1->guests = &studies->guests();
  }
  open_mcp();
  net::Router router;
  assistant::install(router, *assistant);
  api::install(router, *v1);
  if (studies) studies->install(router);
  agents->install(router);
  mcp_clients->install(router);
  if (oauth) oauth->install(router);
  chat::install_accounts(router, {*account_service, *verifier});
  net::add_health_routes(router, [this]() -> core::Result<void> {
    if (!ready) return core::fail(Code::unavailable, std::string(kNotReady));
    PARLEY_TRY_VOID(gate.state());
    if (cluster) PARLEY_TRY_VOID(cluster->readiness());
    return store->writable();
  });
  net::add_metrics_route(router, metrics);
  if (front_end) {
    net::StaticFiles::install(router, *front_end, console);
  } else {
    net::StaticFiles::install(router, console);
  }
  const std::string open = access::route_without_row(router, settings.booking_prefix);
  PARLEY_ASSERT(open.empty(), open + " has no row in identity/access/access_table.cpp");
  if (cluster) cluster->install(router);
  return router;
}

core::Result<void> ServerAssembly::Parts::load_front_end() {
  if (settings.front_end.empty()) return {};
  PARLEY_TRY(auto folder, FrontEndFolder::load(settings.front_end));
  front_end_folder = std::move(folder);
  front_end = std::make_unique<net::StaticFiles>(front_end_folder->assets(),
                                                 front_end_folder->page_policy());
  return {};
}

std::vector<core::Scheduler*> ServerAssembly::Parts::schedulers() const {
  std::vector<core::Scheduler*> out;
  out.reserve(loops.size());
  for (const auto& loop : loops) out.push_back(loop.get());
  return out;
}

// The address of links, unless the operator has named another.
void ServerAssembly::Parts::note_tailnet(const std::string& origin) {
  if (settings.public_url.empty()) tls.report().set_away(origin);
}

void ServerAssembly::Parts::open_tailnet(std::function<void(core::Result<void>)> done) {
  if (!ready) return done(core::fail(Code::unavailable, std::string(kNotReady)));
  if (has_guessable_token(settings)) {
    return done(core::fail(Code::failed_precondition,
                           "The token of this server can be guessed. Start it with a longer one."));
  }
  tailnet.open(*server, schedulers(), endpoint, std::move(done));
}

ServerAssembly::ServerAssembly(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

// Listens on the address of the settings and, if it was found, on the tailnet; the report says
// where.
tl::expected<void, StartFailure> ServerAssembly::Parts::begin_listening(bool in_tailnet) {
  server = std::make_unique<net::Server>(tls.network(), make_router(), settings.server, metrics,
                                         entropy);
  const auto listening = server->listen(schedulers(), settings.listen);
  if (!listening) return tl::unexpected(listen_failure(listening.error(), settings.listen));
  endpoint = *listening;
  const net::Endpoint local{reachable_host(*listening), listening->port};
  url = std::string(origin_scheme(settings)) + local.to_string();
  tls.report().set_address({listening->host, listening->port, listening->is_loopback()});
  tls.watch(*disk_worker);
  tls.report().set_service(own_service_kind());
  tls.report().set_away(settings.public_url);
  if (in_tailnet) {
    const auto open = tailnet.listen(*server, schedulers(), endpoint);
    if (!open) return tl::unexpected(tailnet_failure(open.error()));
  }
  return {};
}

ServerAssembly::~ServerAssembly() { stop(); }

tl::expected<std::unique_ptr<ServerAssembly>, StartFailure> ServerAssembly::start(
    const Settings& settings, Scope scope) {
  keep_memory_private();
  std::unique_ptr<ServerAssembly> assembly(new ServerAssembly(std::make_unique<Parts>(settings)));
  Parts& parts = *assembly->parts_;
  // The certificate of "auto" is in the data directory, which open_stores() locks.
  const bool made_here = parts.tls.mode() == certificate::TlsMode::automatic;
  if (const auto loaded = made_here ? core::Result<void>() : parts.tls.load(); !loaded) {
    return tl::unexpected(certificate_failure(loaded.error()));
  }
  const bool everything = scope == Scope::everything;
  if (const auto loaded = everything ? parts.load_front_end() : core::Result<void>(); !loaded) {
    return tl::unexpected(StartFailure{
        kExitUsage,
        {"The front end cannot be served.", loaded.error().message,
         "--front-end must name a folder with an index.html and the files that it uses."}});
  }
  if (const auto opened = parts.open_stores(); !opened) {
    const bool is_cluster = opened.error().field.starts_with("cluster.");
    if (is_cluster) return tl::unexpected(cluster_failure(opened.error()));
    return tl::unexpected(stores_failure(opened.error(), settings.stores()));
  }
  if (const auto loaded = made_here ? parts.tls.load() : core::Result<void>(); !loaded) {
    return tl::unexpected(data_failure(loaded.error(), settings.data));
  }
  const bool in_tailnet = everything && settings.tailscale;
  if (const auto found = in_tailnet ? parts.tailnet.find() : tailnet::Found<void>(); !found) {
    return tl::unexpected(tailnet_failure(found.error()));
  }
  parts.start_loops();
  if (const auto opened = everything ? parts.open_notifications() : core::Result<void>(); !opened) {
    return tl::unexpected(part_failure(opened.error(), settings.stores()));
  }
  const auto recovered = parts.recover();
  if (!recovered) {
    return tl::unexpected(stores_failure(recovered.error(), settings.stores()));
  }
  if (*recovered > 0) spdlog::info("{} pending interactions recovered", *recovered);
  if (const auto opened = everything ? parts.open_studies() : core::Result<void>(); !opened) {
    return tl::unexpected(part_failure(opened.error(), settings.stores()));
  }
  if (const auto opened = parts.open_agents(); !opened) {
    return tl::unexpected(part_failure(opened.error(), settings.stores()));
  }
  if (const auto opened = everything ? parts.open_oauth() : core::Result<void>(); !opened) {
    return tl::unexpected(stores_failure(opened.error(), settings.stores()));
  }
  parts.add_gauges();
  if (auto reached = parts.begin_listening(in_tailnet); !reached) {
    return tl::unexpected(std::move(reached.error()));
  }
  auto file = EndpointFile::write(settings.data, parts.url, parts.token, parts.tls.authority_file(),
                                  parts.clock.wall());
  if (!file) return tl::unexpected(data_failure(file.error(), settings.data));
  parts.endpoint_file = std::move(*file);
  if (parts.notifications)
    parts.notifications->service().start(
        [&parts] { return parts.tls.report().link_origin(parts.url); });
  if (const auto joined = parts.join_cluster(); !joined) {
    return tl::unexpected(cluster_failure(joined.error()));
  }
  parts.ready = true;
  return assembly;
}

const std::string& ServerAssembly::url() const { return parts_->url; }
const std::string& ServerAssembly::token() const { return parts_->token; }
core::Result<std::string> ServerAssembly::phone_token() {
  return ensure_phone_token(parts_->settings.data, *parts_->tokens, parts_->token);
}
std::string ServerAssembly::away_origin() const { return parts_->tls.report().away(); }
const net::Endpoint& ServerAssembly::endpoint() const { return parts_->endpoint; }

std::optional<core::Error> ServerAssembly::ended() const {
  return parts_->cluster ? parts_->cluster->ended() : std::nullopt;
}

// Any thread that may wait for the disk.
void ServerAssembly::Parts::poll() {
  poll_identities({*tokens, *accounts, *hub, notifications.get(), oauth.get()});
  if (cluster) agents->poll();
}

void ServerAssembly::poll_tokens() { parts_->poll(); }

core::Result<void> ServerAssembly::reload_tls() {
  parts_->tailnet.renew_soon();
  return parts_->tls.reload();
}

void ServerAssembly::drain(core::Millis patience, std::function<void()> done) {
  parts_->ready = false;
  parts_->tailnet.cancel();
  parts_->endpoint_file = EndpointFile();
  if (parts_->cluster) parts_->cluster->drain(kMovePatience);
  parts_->hub->shut_down();
  parts_->mcp_clients->shut_down();
  // Two rounds pass the last messages of sessions from their shards to the shards of the
  // connections.
  parts_->pass_all_loops();
  parts_->pass_all_loops();
  parts_->server->drain(*parts_->loops.front(), patience, std::move(done));
}

void ServerAssembly::stop() {
  if (std::exchange(parts_->stopped, true)) return;
  parts_->ready = false;
  parts_->endpoint_file = EndpointFile();
  parts_->write_out();
  parts_->tailnet.cancel();
  for (const auto& loop : parts_->loops) loop->stop();
  parts_->token_worker.stop();
  if (parts_->oauth) parts_->oauth->stop();
  parts_->path_worker.stop();
  if (parts_->account_service) parts_->account_service->stop();
  for (std::thread& thread : parts_->threads) thread.join();
  if (parts_->cluster) parts_->cluster->leave();
  parts_->tailnet.stop();  // after the threads that may give it work
  if (parts_->notifications) parts_->notifications->stop();
  if (parts_->agents) parts_->agents->stop();
  if (parts_->studies) parts_->studies->stop();
  if (parts_->disk_worker) parts_->disk_worker->stop();
}

}  // namespace parley::app
