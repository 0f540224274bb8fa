// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/known_stores.h"

#include "dialects/chat/chat_session_store.h"
#include "dialects/loom/workspace_store.h"
#include "identity/accounts/account_file.h"
#include "identity/auth/secret_files.h"
#include "identity/auth/token_file.h"
#include "identity/oauth/grant_file.h"
#include "model/event/postgres_tables.h"
#include "model/event/schema.h"
#include "model/placement/postgres_home_store.h"
#include "runtime/comfyui/server/server_registry.h"
#include "runtime/run/run_index.h"
#include "runtime/tool/memory/memory_store.h"
#include "services/booking/booking_schema.h"
#include "services/front_end/front_end_store.h"
#include "services/notify/notify_store.h"
#include "services/search/search_index.h"
#include "services/study/study_index.h"

namespace parley::app {

KnownStore session_store() {
  return {.name = "events",
          .schema = event::schema(),
          .without = {},
          .after_copy = event::complete_copy};
}

KnownStore secret_store() {
  return {.name = auth::kSecretStore, .schema = auth::secret_schema(), .without = {}};
}

KnownStore cluster_store() {
  return {.name = placement::kClusterStore,
          .schema = placement::cluster_schema(),
          .without = {},
          .is_copied = false};
}

std::vector<KnownStore> known_stores() {
  return {
      {"tokens", auth::TokenFile::schema(), "creates a new first token; all other tokens are lost"},
      {"notify", notify::NotifyStore::schema(),
       "sends notices of open questions again; devices must enable notifications again"},
      {"accounts", accounts::AccountFile::schema(),
       "starts without users; create them again with `parley user add`"},
      {"oauth", oauth::GrantFile::schema(), "starts without the logins of agents", false},
      {"runs", run::RunIndex::schema(),
       "starts a new list of runs; their events stay in events.db"},
      {"loom", loom::WorkspaceStore::schema(), "starts without workspaces and thread names"},
      {"chat", chat::ChatSessionStore::schema(), "starts without the list of chats"},
      {"front_end", front_end::FrontEndStore::schema(),
       "starts without workflows, files and agent settings; DATA/files is emptied"},
      {"comfyui", comfyui::ServerRegistry::schema(),
       "starts without the registered ComfyUI servers"},
      {.name = "search",
       .schema = search::SearchIndex::schema(),
       .without = "rebuilds it from events.db",
       .is_copied = false},
      {"studies", study::StudyIndex::schema(), "rebuilds it from events.db"},
      {"booking", booking::schema(), "generates new sample data; bookings are lost"},
      {.name = "memory",
       .schema = tool::MemoryStore::schema(),
       .without = "starts without the memories of agents",
       .made_at_start = false,
       .after_copy = tool::MemoryStore::index_all},
  };
}

}  // namespace parley::app
