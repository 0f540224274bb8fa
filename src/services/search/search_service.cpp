// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/search/search_service.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "base/core/ask.h"
#include "base/core/contain.h"
#include "base/core/result.h"
#include "base/sql/text_index.h"
#include "model/event/session_reader.h"

namespace parley::search {
namespace {

using core::Result;

constexpr std::size_t kEventsOfSlice = 200;
constexpr std::size_t kBytesOfSlice = 4U << 20U;
constexpr std::size_t kSessionsOfSlice = 200;

bool changes_index(const event::Unit& unit) {
  if (unit.drop || !unit.changes.empty()) return true;
  const auto types = indexed_types();
  return std::any_of(unit.events.begin(), unit.events.end(), [types](const event::Event& event) {
    return std::find(types.begin(), types.end(), event.type) != types.end();
  });
}

const std::string& session_of(const event::Unit& unit) {
  return unit.drop ? unit.drop->session : unit.events.front().session;
}

core::Error no_index() {
  return {core::Code::unavailable,
          "The search index cannot be used; the log of the server says why. Try again later.",
          {}};
}

}  // namespace

// Shared with the tasks on the disk thread. All members below mutex_'s are used on that thread.
class SearchService::Indexer : public std::enable_shared_from_this<Indexer> {
 public:
  Indexer(sql::StorePlace place, core::Scheduler& disk) : stores_(std::move(place)), disk_(disk) {}

  void start(event::SessionStore& store) {
    on_disk([this, &store] {
      store_ = &store;
      open();
      compare_all();
    });
  }

  void note(const event::Unit& unit) {
    if (unit.events.empty() && !unit.drop) return;
    if (!changes_index(unit)) return;
    const std::scoped_lock lock(mutex_);
    if (changed_.size() < kMaxChangedSessions) {
      changed_.insert(session_of(unit));
    } else {
      too_many_ = true;
    }
    if (std::exchange(scheduled_, true)) return;
    on_disk([this] { slice_after(kIndexDelay); });
  }

  template <typename T>
  void ask(core::Scheduler& home, Done<T> done,
           absl::AnyInvocable<Result<T>(SearchIndex& index)> work) {
    if (waiting_.fetch_add(1) >= kMaxWaitingQueries) {
      waiting_.fetch_sub(1);
      return core::reply(home, std::move(done),
                         core::fail(core::Code::resource_exhausted,
                                    "Too many searches wait. Try again in a moment."));
    }
    core::ask(disk_, "search", home, std::move(done),
              [self = shared_from_this(), work = std::move(work)]() mutable -> Result<T> {
                const absl::Cleanup leave = [&self] { self->waiting_.fetch_sub(1); };
                if (self->index_ == nullptr) return core::fail(no_index());
                return work(*self->index_);
              });
  }

  // Nothing more is indexed.
  void end() {
    on_disk([this] {
      reader_.reset();
      store_ = nullptr;
    });
  }

 private:
  template <typename Work>
  void on_disk(Work work) {
    disk_.post([self = shared_from_this(), work = std::move(work)] { work(); });
  }
  void slice_after(core::Millis delay) {
    disk_.after(delay, [self = shared_from_this()] { self->slice(); });
  }

  void open() {
    index_.reset();
    const std::string epoch = store_->epoch();
    auto opened = SearchIndex::open(stores_, epoch);
    const bool is_file = stores_.url.empty();
    if (!opened && is_file && opened.error().code == core::Code::data_loss) {
      spdlog::warn("search: the index is made again: {}", opened.error().message);
      for (const char* suffix : {"", "-wal", "-shm"}) {
        std::error_code ignored;
        std::filesystem::remove(stores_.data_dir + "/search.db" + suffix, ignored);
      }
      opened = SearchIndex::open(stores_, epoch);
    }
    if (!opened) {
      spdlog::error("search: there is no index: {}", opened.error().message);
      return;
    }
    index_ = std::move(*opened);
  }

  // Compares all sessions with the index, now and again after kCompareInterval.
  void compare_all() {
    place_ = 0;
    bool idle = false;
    {
      const std::scoped_lock lock(mutex_);
      idle = !std::exchange(scheduled_, true);
    }
    if (idle) slice();
    disk_.after(kCompareInterval, [self = shared_from_this()] {
      self->compares_own_ = true;
      self->compare_all();
    });
  }

  // Adds the next sessions of the comparison to the changed ones. False: it has ended.
  Result<bool> compare_next() {
    if (!place_) return false;
    PARLEY_TRY(const auto listed, reader_->all_sessions(*place_, kSessionsOfSlice));
    const bool last = listed.size() < kSessionsOfSlice;
    place_ = last ? std::nullopt : std::optional(listed.back().place);
    const std::scoped_lock lock(mutex_);
    for (const event::ListedSession& session : listed) {
      const bool is_own = store_->home_epoch(session.owner) != event::kNoHome;
      if (is_own || !compares_own_) changed_.insert(session.id);
    }
    return true;
  }

  // Takes a changed session; empty: none is left, and the next note() or retry() schedules a slice.
  Result<std::string> next_session() {
    while (true) {
      {
        const std::scoped_lock lock(mutex_);
        if (!changed_.empty()) return std::move(changed_.extract(changed_.begin()).value());
        if (std::exchange(too_many_, false)) place_ = 0;
        if (!place_) {
          scheduled_ = false;
          break;
        }
      }
      PARLEY_TRY_VOID(compare_next());
    }
    retry_later();
    return std::string();
  }

  void retry_later() {
    if (retry_waits_) return;
    if (failed_.empty()) {
      retry_delay_ = kRetryDelay;
      return;
    }
    retry_waits_ = true;
    disk_.after(retry_delay_, [self = shared_from_this()] { self->retry(); });
    retry_delay_ = std::min(2 * retry_delay_, kCompareInterval);
  }

  void retry() {
    retry_waits_ = false;
    bool idle = false;
    {
      const std::scoped_lock lock(mutex_);
      changed_.merge(std::exchange(failed_, {}));
      idle = !std::exchange(scheduled_, true);
    }
    if (idle) slice();
  }

  // Indexes a part of the events of one changed session; posts itself until none is left, so that
  // queries wait for one part only.
  void slice() {
    if (!ready()) {
      const std::scoped_lock lock(mutex_);
      scheduled_ = false;
      return;
    }
    const Result<std::string> session = next_session();
    if (!session) {
      complain(session.error());
      return slice_after(kRetryDelay);
    }
    if (session->empty()) return;
    const Result<bool> more = core::contain("search", [&] { return index_part(*session); });
    if (!more) {
      // The others go on: one session that cannot be read must not keep them from the index.
      if (failed_.empty()) complain(more.error());
      failed_.insert(*session);
    } else if (*more) {
      const std::scoped_lock lock(mutex_);
      changed_.insert(*session);
    }
    on_disk([this] { slice(); });
  }

  // True: further events of the session wait.
  Result<bool> index_part(const std::string& session) {
    PARLEY_TRY(const std::uint64_t position, index_->position(session));
    event::ReadQuery query;
    query.session = session;
    query.after = position;
    query.limit = kEventsOfSlice;
    query.max_bytes = kBytesOfSlice;
    for (const std::string_view type : indexed_types()) query.types.emplace_back(type);
    PARLEY_TRY(const event::EventPage page, reader_->read(query));
    if (page.last_seq < position) {  // an older copy of the events was put back
      PARLEY_TRY_VOID(index_->forget(session));
      return true;
    }
    Batch batch{session, page.first_seq, page.last_seq, {}};
    if (page.more && !page.events.empty()) batch.to = page.events.back().seq;
    if (!page.events.empty()) {
      PARLEY_TRY(const event::SessionRow row, reader_->session(session));
      for (const event::Event& event : page.events) batch.changes.push_back(change_of(event, row));
    }
    const bool same = batch.to == position && batch.changes.empty() && page.first_seq == 1;
    if (!same) {
      PARLEY_TRY_VOID(index_->take(batch));
    }
    return page.more;
  }

  bool ready() {
    if (store_ == nullptr || index_ == nullptr) return false;
    if (reader_ != nullptr) return true;
    auto reader = store_->make_reader();
    if (!reader) {
      complain(reader.error());
      return false;
    }
    reader_ = std::move(*reader);
    return true;
  }

  static void complain(const core::Error& error) {
    spdlog::warn("search: indexing failed: {}", error.message);
  }

  const sql::StorePlace stores_;
  core::Scheduler& disk_;
  std::atomic<std::size_t> waiting_{0};  // queries

  std::mutex mutex_;
  std::set<std::string> changed_;  // sessions
  bool too_many_ = false;          // further sessions have changed
  bool scheduled_ = false;         // a slice is posted

  std::optional<std::int64_t> place_;  // of the comparison that goes on
  bool compares_own_ = false;          // not the sessions of other nodes
  std::set<std::string> failed_;       // sessions that could not be indexed in this round
  core::Millis retry_delay_ = kRetryDelay;
  bool retry_waits_ = false;  // retry() is scheduled
  event::SessionStore* store_ = nullptr;
  std::unique_ptr<event::SessionReader> reader_;
  std::unique_ptr<SearchIndex> index_;
};

SearchService::SearchService(sql::StorePlace place, core::Scheduler& disk)
    : indexer_(std::make_shared<Indexer>(std::move(place), disk)) {}

SearchService::~SearchService() = default;

void SearchService::start(event::SessionStore& store) { indexer_->start(store); }
void SearchService::stop() { indexer_->end(); }
void SearchService::note(const event::Unit& unit) { indexer_->note(unit); }

void SearchService::search(Query query, core::Scheduler& home, Done<Hits> done) {
  indexer_->ask<Hits>(
      home, std::move(done), [query = std::move(query)](SearchIndex& index) -> Result<Hits> {
        PARLEY_TRY(Page page, index.search(query));
        const std::vector<std::string> words = sql::TextIndex::words(query.words);
        Hits out;
        out.more = page.more;
        for (Entry& entry : page.entries) {
          std::vector<SnippetPart> parts = snippet(entry.text + "\n" + entry.answer, words);
          out.hits.push_back({std::move(entry), std::move(parts)});
        }
        return out;
      });
}

void SearchService::decisions(DecisionQuery query, core::Scheduler& home, Done<Decisions> done) {
  indexer_->ask<Decisions>(home, std::move(done),
                           [query = std::move(query)](SearchIndex& index) -> Result<Decisions> {
                             Decisions out;
                             PARLEY_TRY(out.page, index.decisions(query));
                             if (query.like) {
                               PARLEY_TRY(out.tally, index.tally(query.owner, *query.like));
                             }
                             return out;
                           });
}

void SearchService::habits(std::string owner, core::Scheduler& home,
                           Done<std::vector<Habit>> done) {
  indexer_->ask<std::vector<Habit>>(
      home, std::move(done),
      [owner = std::move(owner)](SearchIndex& index) { return index.habits(owner); });
}

void SearchService::statistics(std::string owner, core::WallTime from, core::WallTime to,
                               std::chrono::minutes offset, core::Scheduler& home,
                               Done<Statistics> done) {
  indexer_->ask<Statistics>(
      home, std::move(done),
      [owner = std::move(owner), from, to, offset](SearchIndex& index) -> Result<Statistics> {
        PARLEY_TRY(const std::vector<Fact> facts, index.facts(owner, from, to));
        Statistics out = search::statistics(facts, from, to, offset);
        PARLEY_TRY(out.open, index.count_pending(owner));
        return out;
      });
}

}  // namespace parley::search
