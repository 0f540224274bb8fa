// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/front_end/upload_store.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/sql/opening.h"
#include "tests/support/front_end/front_end_world.h"
#include "tests/support/sql/store_test.h"

namespace parley::front_end {
namespace {

using core::Code;
using Tables = FrontEndStore::Tables;

const std::string kPng("\x89PNG\r\n\x1a\n0", 9);

class UploadStoreTest : public sql::StoreTest {
 protected:
  core::Result<std::vector<Upload>> add(const std::string& owner, std::vector<NewUpload> files,
                                        const UploadPurpose& purpose = {}) {
    return world_.run([&](const Tables& t) { return t.uploads.add(owner, purpose, files); });
  }
  Upload add_one(const std::string& name, const std::string& type, const std::string& bytes,
                 const std::string& owner = "alice") {
    return add(owner, {{name, type, bytes}}).value().front();
  }
  std::string read(const Upload& upload, std::uint64_t offset, std::size_t size) {
    return world_
        .run([&](const Tables& t) { return t.uploads.read("alice", upload, offset, size); })
        .value();
  }
  std::size_t files_on_disk() const {
    std::size_t count = 0;
    std::error_code error;
    for (const auto& each :
         std::filesystem::recursive_directory_iterator(world_.file("files"), error)) {
      if (each.is_regular_file()) ++count;
    }
    return count;
  }
  static unsigned mode_of(const std::string& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 0777U : 0U;
  }

  FrontEndWorld world_{place_.url};
};
INSTANTIATE_TEST_SUITE_P(Engines, UploadStoreTest, sql::each_engine(), sql::engine_name);

// With the bytes in the folder.
class UploadFileTest : public UploadStoreTest {};
INSTANTIATE_TEST_SUITE_P(Files, UploadFileTest, sql::only_sqlite(), sql::engine_name);

// With the bytes in the database.
class UploadPartTest : public UploadStoreTest {
 protected:
  sql::Database database_ = *sql::connect_store(place_, "front_end", FrontEndStore::schema());
};
INSTANTIATE_TEST_SUITE_P(Parts, UploadPartTest, testing::Values(sql::Engine::postgres),
                         sql::engine_name);

TEST_P(UploadStoreTest, File_IsReadInPieces) {
  const Upload upload = add_one("a.txt", "text/plain", "hello world");
  EXPECT_EQ(upload.size, 11U);
  EXPECT_EQ(read(upload, 0, 5), "hello");
  EXPECT_EQ(read(upload, 6, 100), "world");
  EXPECT_EQ(read(upload, 100, 100), "");
  EXPECT_EQ(read(add_one("empty", "", ""), 0, 100), "");
  std::string large;
  for (int i = 0; large.size() < 3 * kUploadPartBytes; ++i) large += std::to_string(i) + " ";
  const Upload parts = add_one("large", "", large);
  for (const std::size_t at : {std::size_t{0}, kUploadPartBytes - 1, kUploadPartBytes,
                               2 * kUploadPartBytes + 7, large.size() - 5}) {
    for (const std::size_t size : {std::size_t{1}, kUploadPartBytes, 2 * kUploadPartBytes + 1}) {
      EXPECT_TRUE(read(parts, at, size) == large.substr(at, size)) << at << ", " << size;
    }
  }
}

TEST_P(UploadPartTest, Bytes_AreInDatabaseAlone) {
  const Upload upload = add_one("a", "", "hello");
  EXPECT_EQ(files_on_disk(), 0U);
  ASSERT_TRUE(
      world_.run([&](const Tables& t) { return t.uploads.remove("alice", upload.stored_name); }));
  EXPECT_EQ(*database_.integer("SELECT count(*) FROM file_parts"), 0);
}

TEST_P(UploadPartTest, LostPart_IsError) {
  const Upload upload = add_one("a", "", "hello");
  ASSERT_TRUE(database_.run("DELETE FROM file_parts"));
  const auto cut =
      world_.run([&](const Tables& t) { return t.uploads.read("alice", upload, 0, 10); });
  EXPECT_EQ(cut.error().code, Code::data_loss);
}

TEST_P(UploadPartTest, FileOfFolder_MovesIntoDatabase_AtStart) {
  const Upload upload = add_one("a", "", "hello");
  add_one("b", "", "there");
  ASSERT_TRUE(database_.run("DELETE FROM file_parts"));
  std::filesystem::create_directories(world_.file("files/alice"));
  std::ofstream(world_.file("files/alice/" + upload.stored_name)) << "hello";
  world_.restart();
  EXPECT_EQ(read(upload, 0, 10), "hello");
  EXPECT_EQ(*database_.integer("SELECT count(*) FROM file_parts"), 1);
  EXPECT_EQ(files_on_disk(), 1U) << "what was there stays";
}

TEST_P(UploadFileTest, File_IsPrivate) {
  const Upload upload = add_one("a.txt", "text/plain", "hello world");
  EXPECT_EQ(mode_of(world_.file("files")), 0700U);
  EXPECT_EQ(mode_of(world_.file("files/alice")), 0700U);
  EXPECT_EQ(mode_of(world_.file("files/alice/" + upload.stored_name)), 0600U);
}

TEST_P(UploadStoreTest, DiskName_IsNeverChosenByClient) {
  for (const char* name : {"../../evil.sh", "/etc/passwd", "..", "a\\b\\..", "", "\x01\n.txt"}) {
    const Upload upload = add_one(name, "text/plain", "x");
    EXPECT_EQ(upload.stored_name.find_first_not_of("0123456789abcdef"), std::string::npos) << name;
    EXPECT_EQ(upload.name.find_first_of("/\\\n"), std::string::npos) << upload.name;
    EXPECT_NE(upload.name, "");
    EXPECT_NE(upload.name, "..");
  }
  EXPECT_EQ(add_one(std::string(5'000, 'x'), "", "x").name.size(), kMaxUploadName);
}

TEST_P(UploadFileTest, UnsafeOwnerName_StaysBelowFolder) {
  const Upload upload = add_one("a", "", "x", "../../elsewhere");
  EXPECT_EQ(files_on_disk(), 1U);
  EXPECT_FALSE(
      world_.run([&](const Tables& t) { return t.uploads.find("alice", upload.stored_name); }));
}

TEST_P(UploadStoreTest, Pictures_AreKnownByContent) {
  const Upload png = add_one("a.html", "text/html", kPng);
  EXPECT_EQ(png.type, "image/png");
  EXPECT_TRUE(png.stored_name.ends_with(".png"));
  EXPECT_TRUE(png.is_picture());
  EXPECT_EQ(add_one("a.png", "image/png", "<script>").type, "application/octet-stream");
  EXPECT_EQ(add_one("a.svg", "image/svg+xml", "<svg/>").type, "application/octet-stream");
  EXPECT_EQ(add_one("a.html", "text/html", "<p>").type, "application/octet-stream");
  EXPECT_EQ(add_one("a.mp4", "Video/MP4; codecs=x", "x").type, "video/mp4");
  EXPECT_EQ(add_one("a.mp4", "video/\r\nX: y", "x").type, "application/octet-stream");
  EXPECT_EQ(picture_type("\xff\xd8\xff\xe0"), "image/jpeg");
  EXPECT_EQ(picture_type("RIFF1234WEBP"), "image/webp");
  EXPECT_EQ(picture_type("RIFF"), "");
  EXPECT_EQ(picture_type("GIF89a"), "image/gif");
}

TEST_P(UploadStoreTest, Extension_FollowsName) {
  EXPECT_EQ(add_one("a.TAR", "", "x").extension(), "tar");
  EXPECT_EQ(add_one("a", "", "x").extension(), "");
  EXPECT_EQ(add_one("a.b c", "", "x").extension(), "");
}

TEST_P(UploadStoreTest, List_IsOfSinglePurpose_NewestFirst) {
  ASSERT_TRUE(add("alice", {{"a", "", "x"}, {"b", "", "y"}}, {"chat", "1"}));
  ASSERT_TRUE(add("alice", {{"c", "", "z"}}, {"chat", "2"}));
  ASSERT_TRUE(add("bob", {{"d", "", "z"}}, {"chat", "1"}));
  const auto list = [&](std::optional<UploadPurpose> purpose) {
    std::string names;
    const auto all = world_.run([&](const Tables& t) { return t.uploads.list("alice", purpose); });
    for (const Upload& each : *all) names += each.name;
    return names;
  };
  EXPECT_EQ(list(std::nullopt), "cba");
  EXPECT_EQ(list(UploadPurpose{"chat", "1"}), "ba");
  EXPECT_EQ(list(UploadPurpose{"chat", ""}), "");
}

TEST_P(UploadStoreTest, Batch_IsTakenWhole_OrNotAtAll) {
  const std::string big(kMaxUploadBytes + 1, 'x');
  const auto refused = add("alice", {{"a", "", "x"}, {"b", "", big}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().field, "file");
  EXPECT_EQ(files_on_disk(), 0U);
  EXPECT_TRUE(add("alice", {{"a", "", std::string_view(big).substr(1)}}));
}

TEST_P(UploadFileTest, FailedWrite_LeavesNeitherFileNorRow) {
  add_one("a", "", "x", "bob");
  std::filesystem::create_directories(world_.file("files"));
  std::ofstream(world_.file("files/alice")) << "in the way";
  EXPECT_FALSE(add("alice", {{"a", "", "x"}}));
  const auto all =
      world_.run([&](const Tables& t) { return t.uploads.list("alice", std::nullopt); });
  EXPECT_TRUE(all->empty());
}

TEST_P(UploadStoreTest, FilesAndBytesOfOwner_AreLimited) {
  const std::string piece(kMaxUploadBytes, 'x');
  ASSERT_TRUE(world_.run([&](const Tables& t) -> core::Result<void> {
    const std::vector<NewUpload> empty(kMaxUploads - 1, NewUpload{"a", "", ""});
    auto created = t.uploads.add("alice", {}, empty);
    return created ? core::Result<void>() : core::fail(created.error());
  }));
  EXPECT_EQ(add("alice", {{"a", "", ""}, {"b", "", ""}}).error().code, Code::resource_exhausted);
  add_one("a", "", "");
  EXPECT_EQ(add("alice", {{"b", "", ""}}).error().code, Code::resource_exhausted);
  const std::vector<NewUpload> too_much(kMaxUploadBytesOfOwner / kMaxUploadBytes + 1,
                                        NewUpload{"a", "", piece});
  EXPECT_EQ(add("bob", too_much).error().code, Code::resource_exhausted);
  add_one("a", "", "", "bob");
}

TEST_P(UploadFileTest, RemovedFile_IsGone) {
  const Upload upload = add_one("a", "", "x");
  const auto remove = [&](const std::string& owner) {
    return world_.run([&](const Tables& t) { return t.uploads.remove(owner, upload.stored_name); });
  };
  EXPECT_EQ(remove("bob").error().code, Code::not_found);
  EXPECT_EQ(files_on_disk(), 1U);
  EXPECT_TRUE(remove("alice"));
  EXPECT_EQ(files_on_disk(), 0U);
  EXPECT_EQ(remove("alice").error().code, Code::not_found);
}

TEST_P(UploadFileTest, FilesWithoutRow_AreRemovedAtStart) {
  const Upload upload = add_one("a", "", "x");
  std::ofstream(world_.file("files/alice/lost")) << "half of it";
  world_.restart();
  EXPECT_EQ(files_on_disk(), 1U);
  EXPECT_EQ(read(upload, 0, 10), "x");
}

TEST_P(UploadFileTest, TruncatedFile_IsError) {
  const Upload upload = add_one("a", "", "hello");
  std::filesystem::resize_file(world_.file("files/alice/" + upload.stored_name), 2);
  const auto cut =
      world_.run([&](const Tables& t) { return t.uploads.read("alice", upload, 0, 10); });
  EXPECT_EQ(cut.error().code, Code::data_loss);
}

TEST_P(UploadStoreTest, Downloads_AreCounted) {
  const Upload upload = add_one("a", "", "x");
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(
        world_.run([&](const Tables& t) { return t.uploads.take("alice", upload.stored_name); }));
  }
  const auto found =
      world_.run([&](const Tables& t) { return t.uploads.find("alice", upload.stored_name); });
  EXPECT_EQ(found->downloads, 2U);
}

}  // namespace
}  // namespace parley::front_end
