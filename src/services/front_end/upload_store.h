// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/sql/database.h"

namespace parley::front_end {

// Limit of one file.
// Limit (Chats): a file of a token. Reached: error in the wrapper.
inline constexpr std::size_t kMaxUploadBytes = 32U << 20U;
// Limit (Chats): files of a token. Reached: error in the wrapper.
inline constexpr std::size_t kMaxUploads = 2'000;  // per owner
// Limit (Chats): all files of a token. Reached: error in the wrapper.
inline constexpr std::uint64_t kMaxUploadBytesOfOwner = 1'024U << 20U;  // per owner
// In bytes. Longer names are cut.
// Limit (Chats, bytes): a file's name. Reached: cut.
inline constexpr std::size_t kMaxUploadName = 255;
// Limit of businessType, and of businessId.
// Limit (Chats): `businessType`, `businessId`. Reached: error.
inline constexpr std::size_t kMaxBusinessBytes = 128;

// The type of a picture that browsers may show ("image/png", ...), detected by its first bytes;
// empty: not such a picture.
std::string_view picture_type(std::string_view bytes);

struct Upload {
  std::int64_t id = 0;
  std::string stored_name;  // 32 hexadecimal digits, and ".png" or the like for pictures
  std::string name;         // the client's name: one line without slashes
  std::string type;         // media type of the content
  std::string business_type;
  std::string business_id;
  std::uint64_t size = 0;
  std::int64_t created_at_ms = 0;
  std::uint64_t downloads = 0;

  std::string extension() const;  // of `name`, in lower case; may be empty
  bool is_picture() const;        // true if the content is a picture of the type `type`
};

struct NewUpload {
  std::string_view name;
  std::string_view type;  // as the client states it
  std::string_view bytes;
};

// Purpose of a file, as the front end names it; both members may be empty.
struct UploadPurpose {
  std::string type;
  std::string id;
};

// Bytes in a row of a stored file.
inline constexpr std::size_t kUploadPartBytes = 256U << 10U;

// Files of each owner, with a row for each. The bytes are in DATA/files/OWNER/STORED_NAME, or, with
// a PostgreSQL database, in its table file_parts; a file that came from there into a data directory
// stays in the table, and one that was in the folder moves to the database when the store is opened
// there. A file of another owner is `not_found`. Used on the store's thread. Further errors:
// `invalid_argument` (a file too large, or empty names), `resource_exhausted` (kMaxUploads,
// kMaxUploadBytesOfOwner, the disk), those of sql::Database and of the file system.
class UploadStore {
 public:
  // Removes files of the folder without a row, which remain if the process ends during an upload,
  // or takes those with a row into a database. The database outlives the object.
  static core::Result<std::unique_ptr<UploadStore>> open(sql::Database& database,
                                                         std::string folder,
                                                         const core::Clock& clock,
                                                         core::Entropy& entropy);
  virtual ~UploadStore() = default;

  // Adds all files, or none.
  virtual core::Result<std::vector<Upload>> add(const std::string& owner,
                                                const UploadPurpose& purpose,
                                                std::span<const NewUpload> files) = 0;
  // Lists the files of one purpose, or all, newest first.
  virtual core::Result<std::vector<Upload>> list(const std::string& owner,
                                                 const std::optional<UploadPurpose>& purpose) = 0;
  virtual core::Result<Upload> find(const std::string& owner, const std::string& stored_name) = 0;
  // Like find(), and counts a download.
  virtual core::Result<Upload> take(const std::string& owner, const std::string& stored_name) = 0;
  // At most `size` bytes from `offset` on. Further errors: `data_loss` (the file is shorter).
  virtual core::Result<std::string> read(const std::string& owner, const Upload& upload,
                                         std::uint64_t offset, std::size_t size) = 0;
  virtual core::Result<void> remove(const std::string& owner, const std::string& stored_name) = 0;
};

}  // namespace parley::front_end
