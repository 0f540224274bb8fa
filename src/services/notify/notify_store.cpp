// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/notify_store.h"

#include <utility>

#include "base/core/assert.h"
#include "base/core/result.h"
#include "base/sql/data_dir.h"
#include "base/sql/database.h"
#include "base/sql/opening.h"
#include "base/sql/transaction.h"

namespace parley::notify {
namespace {

using core::Result;
using sql::Database;
using sql::Statement;

constexpr const char* kNotifySteps[] = {R"sql(
  CREATE TABLE deliveries (
    interaction TEXT NOT NULL,
    notifier TEXT NOT NULL,
    target TEXT NOT NULL,
    delivered_at INTEGER NOT NULL,
    PRIMARY KEY (interaction, notifier, target)
  ) WITHOUT ROWID;
  CREATE INDEX deliveries_by_time ON deliveries (delivered_at);
  CREATE TABLE links (
    hash BLOB PRIMARY KEY,
    interaction TEXT NOT NULL,
    session TEXT NOT NULL,
    owner TEXT NOT NULL,
    key TEXT NOT NULL,
    notifier TEXT NOT NULL,
    label TEXT NOT NULL,
    answer TEXT NOT NULL,
    written INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at INTEGER
  ) WITHOUT ROWID;
  CREATE INDEX links_by_end ON links (expires_at);
  CREATE TABLE subscriptions (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    token TEXT NOT NULL,
    endpoint TEXT NOT NULL UNIQUE,
    p256dh BLOB NOT NULL,
    auth BLOB NOT NULL,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    delivered_at INTEGER,
    failure TEXT NOT NULL
  );
  CREATE INDEX subscriptions_of_owner ON subscriptions (owner, number);
)sql",
                                        R"sql(
  ALTER TABLE links ADD COLUMN target TEXT NOT NULL DEFAULT '';
)sql"};
constexpr std::int64_t kNotifyApplicationId = 0x50726c6e;  // "Prln"
constexpr sql::Schema kNotifySchema{.application_id = kNotifyApplicationId, .steps = kNotifySteps};

constexpr const char* kSelectSubscriptions =
    "SELECT id, owner, endpoint, p256dh, auth, name, created_at, delivered_at, failure, token"
    " FROM subscriptions ";

PushSubscription subscription_in(const Statement& row) {
  PushSubscription out;
  out.id = row.string(0);
  out.owner = row.string(1);
  out.endpoint = row.string(2);
  out.p256dh = row.string(3);
  out.auth = row.string(4);
  out.name = row.string(5);
  out.created_at = row.time(6);
  out.delivered_at = row.optional_time(7);
  out.failure = row.string(8);
  out.token = row.string(9);
  return out;
}

AnswerLink link_in(const Statement& row) {
  AnswerLink out;
  out.interaction = row.string(0);
  out.session = row.string(1);
  out.owner = row.string(2);
  out.key = row.string(3);
  out.notifier = row.string(4);
  out.label = row.string(5);
  out.text = row.string(6);
  out.written = row.flag(7);
  out.expires_at = row.time(8);
  out.used_at = row.optional_time(9);
  out.target = row.string(10);
  return out;
}

class SqlNotifyStore final : public NotifyStore {
 public:
  explicit SqlNotifyStore(Database database) : database_(std::move(database)) {}

  Result<void> prepare() {
    const std::string select = kSelectSubscriptions;
    return database_.prepare_all({
        {&was_delivered_,
         "SELECT COUNT(*) FROM deliveries WHERE interaction = ?1 AND notifier = ?2 AND target = "
         "?3"},
        {&set_delivered_,
         "INSERT INTO deliveries (interaction, notifier, target, delivered_at)"
         " VALUES (?1, ?2, ?3, ?4) ON CONFLICT (interaction, notifier, target)"
         " DO UPDATE SET delivered_at = ?4"},
        {&add_link_,
         "INSERT INTO links (hash, interaction, session, owner, key, notifier, label, answer,"
         " written, expires_at, target) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"},
        {&link_,
         "SELECT interaction, session, owner, key, notifier, label, answer, written, expires_at,"
         " used_at, target FROM links WHERE hash = ?1"},
        {&set_used_, "UPDATE links SET used_at = ?2 WHERE hash = ?1"},
        {&count_of_, "SELECT COUNT(*) FROM subscriptions WHERE owner = ?1"},
        {&count_, "SELECT COUNT(*) FROM subscriptions"},
        {&subscribe_,
         "INSERT INTO subscriptions (id, owner, endpoint, p256dh, auth, name, created_at, failure,"
         " token) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, '', ?8)"},
        {&drop_endpoint_, "DELETE FROM subscriptions WHERE endpoint = ?1"},
        {&of_owner_, select + "WHERE owner = ?1 ORDER BY number"},
        {&of_id_, select + "WHERE id = ?1"},
        {&owners_,
         "SELECT owner FROM subscriptions UNION SELECT owner FROM links"
         " ORDER BY owner"},
        {&unsubscribe_, "DELETE FROM subscriptions WHERE id = ?2 AND (owner = ?1 OR ?1 = '')"},
        {&forget_subscriptions_, "DELETE FROM subscriptions WHERE owner = ?1"},
        {&forget_token_, "DELETE FROM subscriptions WHERE token = ?1 AND token <> ''"},
        {&forget_links_, "DELETE FROM links WHERE owner = ?1"},
        {&succeeded_, "UPDATE subscriptions SET delivered_at = ?2, failure = '' WHERE id = ?1"},
        {&failed_, "UPDATE subscriptions SET failure = ?2 WHERE id = ?1"},
        {&sweep_deliveries_, "DELETE FROM deliveries WHERE delivered_at < ?1"},
        {&sweep_links_, "DELETE FROM links WHERE expires_at < ?1"},
    });
  }

  Result<bool> was_delivered(std::string_view interaction, std::string_view notifier,
                             std::string_view target) override {
    PARLEY_TRY(const std::int64_t count,
               was_delivered_.bind_all(interaction, notifier, target).first_integer());
    return count > 0;
  }

  Result<void> set_delivered(std::string_view interaction, std::string_view notifier,
                             std::string_view target, core::WallTime at) override {
    return set_delivered_.bind_all(interaction, notifier, target, at).run();
  }

  Result<void> add_links(const std::vector<std::string>& hashes,
                         const std::vector<AnswerLink>& links) override {
    PARLEY_ASSERT(hashes.size() == links.size(), "a hash for each answer link");
    PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database_));
    for (std::size_t i = 0; i < links.size(); ++i) {
      const AnswerLink& link = links[i];
      PARLEY_TRY_VOID(add_link_
                          .bind_all(sql::Blob{hashes[i]}, link.interaction, link.session,
                                    link.owner, link.key, link.notifier, link.label, link.text,
                                    link.written, link.expires_at, link.target)
                          .run());
    }
    return transaction.commit();
  }

  Result<std::optional<AnswerLink>> link(std::string_view hash) override {
    return link_.bind_all(sql::Blob{hash}).first(link_in);
  }

  Result<void> set_used(std::string_view hash, core::WallTime at) override {
    return set_used_.bind_all(sql::Blob{hash}, at).run();
  }

  Result<void> subscribe(const PushSubscription& subscription) override {
    PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database_));
    PARLEY_TRY_VOID(drop_endpoint_.bind_all(subscription.endpoint).run());
    PARLEY_TRY(const std::int64_t own, count_of_.bind_all(subscription.owner).first_integer());
    PARLEY_TRY(const std::int64_t all, count_.first_integer());
    if (own >= static_cast<std::int64_t>(kMaxSubscriptionsOfToken)) {
      return core::fail(core::Code::resource_exhausted,
                        "This token has " + std::to_string(kMaxSubscriptionsOfToken) +
                            " devices with notifications already. Remove one first.");
    }
    if (all >= static_cast<std::int64_t>(kMaxSubscriptions)) {
      return core::fail(core::Code::resource_exhausted,
                        "The server keeps no further devices with notifications.");
    }
    PARLEY_TRY_VOID(subscribe_
                        .bind_all(subscription.id, subscription.owner, subscription.endpoint,
                                  sql::Blob{subscription.p256dh}, sql::Blob{subscription.auth},
                                  subscription.name, subscription.created_at, subscription.token)
                        .run());
    return transaction.commit();
  }

  Result<std::vector<PushSubscription>> subscriptions(std::string_view owner) override {
    return of_owner_.bind_all(owner).rows(subscription_in);
  }

  Result<std::optional<PushSubscription>> subscription(std::string_view id) override {
    return of_id_.bind_all(id).first(subscription_in);
  }

  Result<std::vector<std::string>> owners() override {
    return owners_.rows([](const Statement& row) { return row.string(0); });
  }

  Result<bool> unsubscribe(std::string_view owner, std::string_view id) override {
    PARLEY_TRY_VOID(unsubscribe_.bind_all(owner, id).run());
    return database_.changes() > 0;
  }

  Result<void> forget_token(std::string_view token_id) override {
    return forget_token_.bind_all(token_id).run();
  }

  Result<void> forget_owner(std::string_view owner) override {
    PARLEY_TRY_VOID(forget_subscriptions_.bind_all(owner).run());
    return forget_links_.bind_all(owner).run();
  }

  Result<void> set_attempt(std::string_view subscription, core::WallTime at,
                           std::string_view failure) override {
    if (failure.empty()) return succeeded_.bind_all(subscription, at).run();
    return failed_.bind_all(subscription, failure).run();
  }

  Result<void> sweep(core::WallTime links, core::WallTime deliveries) override {
    PARLEY_TRY_VOID(sweep_deliveries_.bind_all(deliveries).run());
    return sweep_links_.bind_all(links).run();
  }

 private:
  Database database_;
  Statement was_delivered_;
  Statement set_delivered_;
  Statement add_link_;
  Statement link_;
  Statement set_used_;
  Statement count_of_;
  Statement count_;
  Statement subscribe_;
  Statement drop_endpoint_;
  Statement of_owner_;
  Statement of_id_;
  Statement owners_;
  Statement unsubscribe_;
  Statement forget_subscriptions_;
  Statement forget_links_;
  Statement forget_token_;
  Statement succeeded_;
  Statement failed_;
  Statement sweep_deliveries_;
  Statement sweep_links_;
};

}  // namespace

const sql::Schema& NotifyStore::schema() { return kNotifySchema; }

Result<std::unique_ptr<NotifyStore>> NotifyStore::open(const sql::StorePlace& place) {
  PARLEY_TRY_VOID(sql::make_data_dir(place.data_dir));
  PARLEY_TRY(Database database, sql::open_store(place, "notify", kNotifySchema,
                                                {.durability = sql::Durability::process}));
  auto store = std::make_unique<SqlNotifyStore>(std::move(database));
  PARLEY_TRY_VOID(store->prepare());
  return store;
}

}  // namespace parley::notify
