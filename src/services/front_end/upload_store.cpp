// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/front_end/upload_store.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <set>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/id.h"
#include "base/core/private_files.h"
#include "base/core/result.h"
#include "base/core/utf8.h"
#include "base/core/visible_text.h"
#include "base/sql/transaction.h"
#include "services/front_end/digest.h"

namespace parley::front_end {
namespace {

namespace fs = std::filesystem;
using core::Code;
using core::Result;
using sql::Statement;

constexpr std::size_t kStoredNameBytes = 16;
constexpr std::size_t kMaxExtension = 8;
constexpr std::size_t kMaxTypeBytes = 100;
constexpr std::string_view kUnknownType = "application/octet-stream";
constexpr std::string_view kUnnamed = "file";
constexpr std::string_view kColumns =
    "id, stored_name, name, type, business_type, business_id, size, created_at, downloads";

struct PictureKind {
  std::string_view type;
  std::string_view ending;
};
constexpr std::array<PictureKind, 4> kPictures = {{{"image/png", ".png"},
                                                   {"image/jpeg", ".jpg"},
                                                   {"image/webp", ".webp"},
                                                   {"image/gif", ".gif"}}};

tl::unexpected<core::Error> no_file() {
  return core::fail(Code::not_found, "There is no such file.", "storedName");
}

// Types, other than pictures, that a browser may open after a download, because they cannot run
// code.
bool is_harmless(std::string_view type) {
  return type.starts_with("video/") || type.starts_with("audio/") || type == "application/pdf" ||
         type == "application/json" || type == "text/plain";
}

bool is_type_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '/' || c == '+' || c == '-' ||
         c == '.';
}

std::string type_of(const NewUpload& file) {
  if (const std::string_view picture = picture_type(file.bytes); !picture.empty()) {
    return std::string(picture);
  }
  const std::string message =
      core::lowered(core::trimmed(file.type.substr(0, file.type.find(';')), core::kBlanks));
  const bool good = message.size() <= kMaxTypeBytes && is_harmless(message) &&
                    std::all_of(message.begin(), message.end(), is_type_char);
  return good ? message : std::string(kUnknownType);
}

// The last segment of a path of any system, as one visible line.
std::string name_of(std::string_view message) {
  message = message.substr(message.find_last_of("/\\") + 1);
  const std::string line = core::visible_line(message);
  std::string out(core::utf8_truncate(line, kMaxUploadName));
  return out.empty() || out == "." || out == ".." ? std::string(kUnnamed) : out;
}

std::string ending_of(std::string_view type) {
  for (const PictureKind& kind : kPictures) {
    if (kind.type == type) return std::string(kind.ending);
  }
  return {};
}

Upload upload_of(const Statement& row) {
  Upload out;
  out.id = row.integer(0);
  out.stored_name = row.text(1);
  out.name = row.text(2);
  out.type = row.text(3);
  out.business_type = row.text(4);
  out.business_id = row.text(5);
  out.size = row.number(6);
  out.created_at_ms = row.integer(7);
  out.downloads = row.number(8);
  return out;
}

std::string select(std::string_view rest) {
  return "SELECT " + std::string(kColumns) + " FROM files " + std::string(rest);
}

core::Error failed(std::string_view act) {
  return core::system_error(errno, "The file cannot be " + std::string(act));
}

// Written files that are removed on destruction, unless keep() was called.
class Drafts {
 public:
  Drafts() = default;
  Drafts(const Drafts&) = delete;
  Drafts& operator=(const Drafts&) = delete;
  ~Drafts() {
    for (const std::string& path : paths_) ::unlink(path.c_str());
  }
  void add(std::string path) { paths_.push_back(std::move(path)); }
  void keep() { paths_.clear(); }

 private:
  std::vector<std::string> paths_;
};

class SqlUploadStore final : public UploadStore {
 public:
  SqlUploadStore(sql::Database& database, std::string folder, const core::Clock& clock,
                 core::Entropy& entropy)
      : database_(database), folder_(std::move(folder)), clock_(clock), entropy_(entropy) {}

  Result<void> start() { return in_database_ ? adopt() : sweep(); }

  Result<void> sweep() {
    std::set<std::string> known;
    Result<void> read = database_.each(
        "SELECT owner, stored_name FROM files",
        [&](const Statement& row) { known.insert(path_of(row.string(0), row.string(1))); });
    if (!read) return read;
    std::error_code error;
    std::vector<std::string> lost;
    for (fs::recursive_directory_iterator it(folder_, error), end; !error && it != end;
         it.increment(error)) {
      std::error_code kind;
      if (it->is_directory(kind)) continue;
      if (!known.contains(it->path().string())) lost.push_back(it->path().string());
    }
    for (const std::string& path : lost) ::unlink(path.c_str());
    if (!lost.empty()) spdlog::info("removed {} files of unfinished uploads", lost.size());
    return {};
  }

  Result<std::vector<Upload>> add(const std::string& owner, const UploadPurpose& purpose,
                                  std::span<const NewUpload> files) override {
    for (const auto& [text, field] :
         {std::pair(&purpose.type, "businessType"), std::pair(&purpose.id, "businessId")}) {
      if (text->size() > kMaxBusinessBytes || !core::is_utf8(*text)) {
        return core::fail(Code::invalid_argument,
                          "\"" + std::string(field) + "\" must be UTF-8 of at most " +
                              std::to_string(kMaxBusinessBytes) + " bytes.",
                          field);
      }
    }
    for (const NewUpload& file : files) {
      if (file.bytes.size() > kMaxUploadBytes) {
        return core::fail(
            Code::invalid_argument,
            "A file may have at most " + std::to_string(kMaxUploadBytes >> 20U) + " MiB.", "file");
      }
    }
    PARLEY_TRY_VOID(check_room(owner, files));
    if (!in_database_) PARLEY_TRY_VOID(core::make_private_folder(path_of(owner, "")));
    Drafts drafts;
    PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database_));
    std::vector<Upload> out;
    for (const NewUpload& file : files) {
      Upload upload;
      upload.type = type_of(file);
      upload.stored_name = core::random_hex(entropy_, kStoredNameBytes) + ending_of(upload.type);
      upload.name = name_of(file.name);
      upload.business_type = purpose.type;
      upload.business_id = purpose.id;
      upload.size = file.bytes.size();
      upload.created_at_ms = core::to_unix_ms(clock_.wall());
      PARLEY_TRY(Upload row, insert(owner, upload));
      if (in_database_) {
        PARLEY_TRY_VOID(write_parts(row.id, file.bytes));
      } else {
        const std::string path = path_of(owner, upload.stored_name);
        PARLEY_TRY_VOID(core::write_private_file(path, file.bytes));
        drafts.add(path);
      }
      out.push_back(std::move(row));
    }
    PARLEY_TRY_VOID(transaction.commit());
    drafts.keep();
    return out;
  }

  Result<std::vector<Upload>> list(const std::string& owner,
                                   const std::optional<UploadPurpose>& purpose) override {
    using Text = std::optional<std::string>;
    return database_.rows(
        select("WHERE owner = ?1 AND (?2 IS NULL OR (business_type = ?2 AND business_id = ?3)) "
               "ORDER BY id DESC"),
        upload_of, owner, purpose ? Text(purpose->type) : Text(),
        purpose ? Text(purpose->id) : Text());
  }

  Result<Upload> find(const std::string& owner, const std::string& stored_name) override {
    PARLEY_TRY(std::optional<Upload> found,
               database_.first(select("WHERE owner = ?1 AND stored_name = ?2"), upload_of, owner,
                               stored_name));
    if (!found) return no_file();
    return std::move(*found);
  }

  Result<Upload> take(const std::string& owner, const std::string& stored_name) override {
    Result<Upload> upload = find(owner, stored_name);
    if (!upload) return upload;
    PARLEY_TRY_VOID(
        database_.run("UPDATE files SET downloads = downloads + 1 WHERE id = ?1", upload->id));
    return upload;
  }

  Result<std::string> read(const std::string& owner, const Upload& upload, std::uint64_t offset,
                           std::size_t size) override {
    const std::uint64_t rest = upload.size - std::min(offset, upload.size);
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size, rest));
    if (wanted == 0) return std::string();
    Result<std::string> out = in_database_ ? read_parts(upload.id, offset, wanted)
                                           : read_file(owner, upload, offset, wanted);
    if (out && out->size() < wanted) {
      return core::fail(Code::data_loss, "The stored file is shorter than its recorded size.",
                        "storedName");
    }
    return out;
  }

  Result<void> remove(const std::string& owner, const std::string& stored_name) override {
    PARLEY_TRY(const Upload upload, find(owner, stored_name));
    PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database_));
    PARLEY_TRY_VOID(database_.run("DELETE FROM file_parts WHERE file = ?1", upload.id));
    PARLEY_TRY_VOID(database_.run("DELETE FROM files WHERE id = ?1", upload.id));
    PARLEY_TRY_VOID(transaction.commit());
    // A file that cannot be removed here is removed by sweep() at the next start.
    if (::unlink(path_of(owner, stored_name).c_str()) != 0 && errno != ENOENT) {
      spdlog::warn("{}", failed("removed").message);
    }
    return {};
  }

 private:
  // An owner id that is not safe as a folder's name is replaced by its digest.
  std::string path_of(const std::string& owner, const std::string& stored_name) const {
    const std::string folder = core::is_safe_id(owner) ? owner : "owner-" + sha256_hex(owner);
    return folder_ + "/" + folder + (stored_name.empty() ? "" : "/" + stored_name);
  }

  Result<void> check_room(const std::string& owner, std::span<const NewUpload> files) {
    const auto sum = database_.first(
        "SELECT count(*), coalesce(sum(size), 0) FROM files WHERE owner = ?1",
        [](const Statement& row) { return std::pair(row.number(0), row.number(1)); }, owner);
    if (!sum) return core::fail(sum.error());
    auto [count, bytes] = **sum;
    for (const NewUpload& file : files) bytes += file.bytes.size();
    if (count + files.size() > kMaxUploads) {
      return core::fail(
          Code::resource_exhausted,
          "You may have at most " + std::to_string(kMaxUploads) + " files. Delete some first.",
          "file");
    }
    if (bytes > kMaxUploadBytesOfOwner) {
      return core::fail(Code::resource_exhausted,
                        "Your files may have at most " +
                            std::to_string(kMaxUploadBytesOfOwner >> 20U) +
                            " MiB in total. Delete some first.",
                        "file");
    }
    return {};
  }

  Result<Upload> insert(const std::string& owner, const Upload& upload) {
    PARLEY_TRY_VOID(database_.run(
        "INSERT INTO files (owner, stored_name, name, type, business_type, business_id, size, "
        "created_at, downloads) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0)",
        owner, upload.stored_name, upload.name, upload.type, upload.business_type,
        upload.business_id, upload.size, upload.created_at_ms));
    return find(owner, upload.stored_name);
  }

  // Takes the bytes of files that are only in the folder. The files stay, as all files do that were
  // there before.
  Result<void> adopt() {
    struct Row {
      std::string owner;
      Upload upload;
    };
    PARLEY_TRY(const std::vector<Row> rows,
               database_.rows(
                   "SELECT " + std::string(kColumns) +
                       ", owner FROM files WHERE size > 0 AND NOT EXISTS (SELECT 1 FROM file_parts"
                       " WHERE file = files.id) ORDER BY id",
                   [](const Statement& row) {
                     return Row{row.string(9), upload_of(row)};
                   }));
    std::size_t taken = 0;
    for (const Row& row : rows) {
      const Result<std::string> bytes = read_file(row.owner, row.upload, 0, row.upload.size);
      if (!bytes || bytes->size() != row.upload.size) continue;
      PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database_));
      PARLEY_TRY_VOID(write_parts(row.upload.id, *bytes));
      PARLEY_TRY_VOID(transaction.commit());
      ++taken;
    }
    if (taken > 0) spdlog::info("{} uploaded files moved into the database", taken);
    if (taken < rows.size()) {
      spdlog::warn("{} uploaded files are not in {}: copy them there and start again",
                   rows.size() - taken, folder_);
    }
    return {};
  }

  Result<void> write_parts(std::int64_t file, std::string_view bytes) {
    PARLEY_TRY(Statement insert,
               database_.prepare("INSERT INTO file_parts (file, part, bytes) VALUES (?1, ?2, ?3)"));
    for (std::size_t part = 0; part * kUploadPartBytes < bytes.size(); ++part) {
      const sql::Blob blob{bytes.substr(part * kUploadPartBytes, kUploadPartBytes)};
      PARLEY_TRY_VOID(insert.bind_all(file, part, blob).run());
    }
    return {};
  }

  Result<std::string> read_parts(std::int64_t file, std::uint64_t offset, std::size_t wanted) {
    std::string out;
    out.reserve(wanted + kUploadPartBytes);
    const std::uint64_t first = offset / kUploadPartBytes;
    const std::uint64_t last = (offset + wanted - 1) / kUploadPartBytes;
    PARLEY_TRY_VOID(database_.each(
        "SELECT bytes FROM file_parts WHERE file = ?1 AND part >= ?2 AND part <= ?3 ORDER BY part",
        [&out](const Statement& row) { out += row.text(0); }, file, first, last));
    out.erase(0, static_cast<std::size_t>(offset - first * kUploadPartBytes));
    out.resize(std::min(out.size(), wanted));
    return out;
  }

  Result<std::string> read_file(const std::string& owner, const Upload& upload,
                                std::uint64_t offset, std::size_t wanted) {
    const std::string path = path_of(owner, upload.stored_name);
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT) return read_parts(upload.id, offset, wanted);
    if (fd < 0) return core::fail(failed("read"));
    std::string out(wanted, '\0');
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t count =
          ::pread(fd, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      done += static_cast<std::size_t>(count);
    }
    ::close(fd);
    out.resize(done);
    return out;
  }

  sql::Database& database_;
  const bool in_database_ = database_.engine() == sql::Engine::postgres;
  const std::string folder_;
  const core::Clock& clock_;
  core::Entropy& entropy_;
};

}  // namespace

std::string_view picture_type(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
  if (bytes.starts_with("\xff\xd8\xff")) return "image/jpeg";
  if (bytes.starts_with("GIF87a") || bytes.starts_with("GIF89a")) return "image/gif";
  if (bytes.starts_with("RIFF") &&
      bytes.substr(std::min<std::size_t>(8, bytes.size())).starts_with("WEBP")) {
    return "image/webp";
  }
  return {};
}

bool Upload::is_picture() const { return !ending_of(type).empty(); }

std::string Upload::extension() const {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return {};
  std::string out = core::lowered(std::string_view(name).substr(dot + 1));
  const bool plain = std::all_of(out.begin(), out.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  });
  return plain && out.size() <= kMaxExtension ? out : std::string();
}

Result<std::unique_ptr<UploadStore>> UploadStore::open(sql::Database& database, std::string folder,
                                                       const core::Clock& clock,
                                                       core::Entropy& entropy) {
  auto store = std::make_unique<SqlUploadStore>(database, std::move(folder), clock, entropy);
  PARLEY_TRY_VOID(store->start());
  return store;
}

}  // namespace parley::front_end
