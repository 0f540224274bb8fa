// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/event/fault_vfs.h"

#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace parley::event {
namespace {

constexpr std::uint64_t kSectorBytes = 512;

// One change of a file since its last sync.
struct Change {
  std::uint64_t offset = 0;
  std::string before;  // the old bytes at `offset`, up to the end of the file
  std::string after;   // the bytes written there; empty if the file was truncated at `offset`
  std::uint64_t size_before = 0;
  bool cut = false;
};

struct Trouble {
  std::uint64_t countdown = 0;
  DiskFault fault = DiskFault::io_error;
};

void write_at(std::string& content, std::uint64_t offset, std::string_view bytes) {
  if (content.size() < offset + bytes.size()) content.resize(offset + bytes.size());
  content.replace(offset, bytes.size(), bytes);
}

void undo(std::string& content, const Change& change) {
  content.resize(std::max<std::size_t>(content.size(), change.size_before));
  write_at(content, change.offset, change.before);
  content.resize(change.size_before);
}

// Applies a random subset of the sectors of a change, as if only those had reached the disk.
void redo_some(std::string& content, const Change& change, core::Entropy& entropy) {
  if (change.cut) {
    if (entropy.next_u64() % 2 == 0) content.resize(change.offset);
    return;
  }
  std::uint64_t at = 0;
  while (at < change.after.size()) {
    const std::uint64_t position = change.offset + at;
    const std::uint64_t rest = kSectorBytes - position % kSectorBytes;
    const std::uint64_t count = std::min<std::uint64_t>(rest, change.after.size() - at);
    if (entropy.next_u64() % 2 == 0) {
      write_at(content, position, std::string_view(change.after).substr(at, count));
    }
    at += count;
  }
}

}  // namespace

struct FaultVfs::Impl {
  mutable std::mutex mutex;
  std::map<std::string, std::vector<Change>> unsynced;  // by path
  std::optional<Trouble> write_trouble;
  std::optional<Trouble> sync_trouble;
  bool off = false;
  std::uint64_t writes = 0;
  std::uint64_t syncs = 0;
  std::string name;
  sqlite3_vfs vfs{};
  sqlite3_vfs* real = nullptr;

  // The fault of the next operation; std::nullopt: none. Called with the mutex held.
  static std::optional<DiskFault> next_fault(std::optional<Trouble>& trouble) {
    if (!trouble) return std::nullopt;
    if (trouble->countdown == 0) return trouble->fault;
    --trouble->countdown;
    return std::nullopt;
  }
};

namespace {

// The memory that SQLite allocates for one open file: this struct, then the file of the real VFS.
struct FaultFile {
  sqlite3_file base;
  FaultVfs::Impl* disk;
  const char* path;  // null: a temporary file, not restored by power_on()
};

FaultFile* ours(sqlite3_file* file) { return reinterpret_cast<FaultFile*>(file); }
sqlite3_file* real(sqlite3_file* file) { return reinterpret_cast<sqlite3_file*>(ours(file) + 1); }

int close_file(sqlite3_file* file) { return real(file)->pMethods->xClose(real(file)); }

int read_file(sqlite3_file* file, void* out, int count, sqlite3_int64 offset) {
  return real(file)->pMethods->xRead(real(file), out, count, offset);
}

// Reads the bytes in [offset, offset + count), up to the end of the file, into `change`.
int remember(sqlite3_file* file, std::uint64_t offset, std::uint64_t count, Change& change) {
  sqlite3_int64 size = 0;
  int code = real(file)->pMethods->xFileSize(real(file), &size);
  if (code != SQLITE_OK) return code;
  change.offset = offset;
  change.size_before = static_cast<std::uint64_t>(size);
  if (offset >= change.size_before) return SQLITE_OK;
  change.before.resize(std::min(count, change.size_before - offset));
  code = read_file(file, change.before.data(), static_cast<int>(change.before.size()),
                   static_cast<sqlite3_int64>(offset));
  return code;
}

int write_file(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
  FaultVfs::Impl& disk = *ours(file)->disk;
  if (ours(file)->path == nullptr) {
    return real(file)->pMethods->xWrite(real(file), bytes, count, offset);
  }
  const std::scoped_lock lock(disk.mutex);
  if (disk.off) return SQLITE_IOERR_WRITE;
  ++disk.writes;
  if (const auto fault = FaultVfs::Impl::next_fault(disk.write_trouble)) {
    return *fault == DiskFault::no_space ? SQLITE_FULL : SQLITE_IOERR_WRITE;
  }
  Change change;
  int code =
      remember(file, static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(count), change);
  if (code != SQLITE_OK) return code;
  change.after.assign(static_cast<const char*>(bytes), static_cast<std::size_t>(count));
  code = real(file)->pMethods->xWrite(real(file), bytes, count, offset);
  if (code == SQLITE_OK) disk.unsynced[ours(file)->path].push_back(std::move(change));
  return code;
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  FaultVfs::Impl& disk = *ours(file)->disk;
  if (ours(file)->path == nullptr) return real(file)->pMethods->xTruncate(real(file), size);
  const std::scoped_lock lock(disk.mutex);
  if (disk.off) return SQLITE_IOERR_TRUNCATE;
  ++disk.writes;
  if (FaultVfs::Impl::next_fault(disk.write_trouble)) return SQLITE_IOERR_TRUNCATE;
  Change change;
  int code = remember(file, static_cast<std::uint64_t>(size), UINT64_MAX, change);
  if (code != SQLITE_OK) return code;
  change.cut = true;
  code = real(file)->pMethods->xTruncate(real(file), size);
  if (code == SQLITE_OK) disk.unsynced[ours(file)->path].push_back(std::move(change));
  return code;
}

int sync_file(sqlite3_file* file, int flags) {
  FaultVfs::Impl& disk = *ours(file)->disk;
  if (ours(file)->path == nullptr) return real(file)->pMethods->xSync(real(file), flags);
  const std::scoped_lock lock(disk.mutex);
  if (disk.off) return SQLITE_IOERR_FSYNC;
  ++disk.syncs;
  if (FaultVfs::Impl::next_fault(disk.sync_trouble)) return SQLITE_IOERR_FSYNC;
  disk.unsynced.erase(ours(file)->path);
  return SQLITE_OK;
}

int size_of_file(sqlite3_file* file, sqlite3_int64* size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}
int lock_file(sqlite3_file* file, int level) {
  return real(file)->pMethods->xLock(real(file), level);
}
int unlock_file(sqlite3_file* file, int level) {
  return real(file)->pMethods->xUnlock(real(file), level);
}
int check_lock(sqlite3_file* file, int* held) {
  return real(file)->pMethods->xCheckReservedLock(real(file), held);
}
int control_file(sqlite3_file* file, int what, void* argument) {
  return real(file)->pMethods->xFileControl(real(file), what, argument);
}
int sector_size(sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); }
int characteristics(sqlite3_file* file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file));
}
int map_shared(sqlite3_file* file, int page, int size, int extend, void volatile** out) {
  return real(file)->pMethods->xShmMap(real(file), page, size, extend, out);
}
int lock_shared(sqlite3_file* file, int offset, int count, int flags) {
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
void shared_barrier(sqlite3_file* file) { real(file)->pMethods->xShmBarrier(real(file)); }
int unmap_shared(sqlite3_file* file, int remove) {
  return real(file)->pMethods->xShmUnmap(real(file), remove);
}

// Version 2: shared memory, but no memory-mapped reads, which would bypass this VFS.
constexpr sqlite3_io_methods kMethods = {2,
                                         close_file,
                                         read_file,
                                         write_file,
                                         truncate_file,
                                         sync_file,
                                         size_of_file,
                                         lock_file,
                                         unlock_file,
                                         check_lock,
                                         control_file,
                                         sector_size,
                                         characteristics,
                                         map_shared,
                                         lock_shared,
                                         shared_barrier,
                                         unmap_shared,
                                         nullptr,
                                         nullptr};

FaultVfs::Impl& disk_of(sqlite3_vfs* vfs) { return *static_cast<FaultVfs::Impl*>(vfs->pAppData); }

int open_file(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  FaultVfs::Impl& disk = disk_of(vfs);
  constexpr int kKept = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL;
  ours(file)->disk = &disk;
  ours(file)->path = (flags & kKept) != 0 ? path : nullptr;
  const int code = disk.real->xOpen(disk.real, path, real(file), flags, out_flags);
  // SQLite closes a file whose opening failed only if pMethods is set.
  file->pMethods = real(file)->pMethods == nullptr ? nullptr : &kMethods;
  return code;
}

int delete_file(sqlite3_vfs* vfs, const char* path, int sync_directory) {
  FaultVfs::Impl& disk = disk_of(vfs);
  const std::scoped_lock lock(disk.mutex);
  if (disk.off) return SQLITE_IOERR_DELETE;
  disk.unsynced.erase(path);
  return disk.real->xDelete(disk.real, path, sync_directory);
}

std::string unique_name() {
  static std::atomic<int> count{0};
  return "parley-fault-" + std::to_string(++count);
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

FaultVfs::FaultVfs() : impl_(std::make_unique<Impl>()) {
  impl_->name = unique_name();
  impl_->real = sqlite3_vfs_find(nullptr);
  impl_->vfs = *impl_->real;
  impl_->vfs.pNext = nullptr;
  impl_->vfs.zName = impl_->name.c_str();
  impl_->vfs.pAppData = impl_.get();
  impl_->vfs.szOsFile = static_cast<int>(sizeof(FaultFile)) + impl_->real->szOsFile;
  impl_->vfs.xOpen = &open_file;
  impl_->vfs.xDelete = &delete_file;
  sqlite3_vfs_register(&impl_->vfs, 0);
}

FaultVfs::~FaultVfs() { sqlite3_vfs_unregister(&impl_->vfs); }

const std::string& FaultVfs::name() const { return impl_->name; }

void FaultVfs::fail_writes_after(std::uint64_t operations, DiskFault fault) {
  const std::scoped_lock lock(impl_->mutex);
  impl_->write_trouble = Trouble{operations, fault};
}

void FaultVfs::fail_syncs_after(std::uint64_t operations, DiskFault fault) {
  const std::scoped_lock lock(impl_->mutex);
  impl_->sync_trouble = Trouble{operations, fault};
}

void FaultVfs::heal() {
  const std::scoped_lock lock(impl_->mutex);
  impl_->write_trouble.reset();
  impl_->sync_trouble.reset();
}

void FaultVfs::power_off() {
  const std::scoped_lock lock(impl_->mutex);
  impl_->off = true;
}

void FaultVfs::power_on(core::Entropy* torn) {
  const std::scoped_lock lock(impl_->mutex);
  for (const auto& [path, changes] : impl_->unsynced) {
    std::string content = content_of(path);
    for (std::size_t i = changes.size(); i-- > 0;) undo(content, changes[i]);
    if (torn != nullptr) {
      for (const Change& change : changes) redo_some(content, change, *torn);
    }
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
    // The wal-index (-shm) is memory, which a loss of power erases.
    std::error_code ignored;
    std::filesystem::remove(path + "-shm", ignored);
  }
  impl_->unsynced.clear();
  impl_->write_trouble.reset();
  impl_->sync_trouble.reset();
  impl_->off = false;
}

std::uint64_t FaultVfs::writes() const {
  const std::scoped_lock lock(impl_->mutex);
  return impl_->writes;
}

std::uint64_t FaultVfs::syncs() const {
  const std::scoped_lock lock(impl_->mutex);
  return impl_->syncs;
}

}  // namespace parley::event
