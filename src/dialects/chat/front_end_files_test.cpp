// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Files as front ends use them, and each route with the resources of another user.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "identity/access/access_table.h"
#include "tests/support/chat/front_end_server_world.h"

namespace parley::chat {
namespace {

using testing::HasSubstr;
using testing::Not;
using Wrapped = FrontEndServer::Answer;

constexpr const char* kUpload = "/api/v1/files/upload";
constexpr const char* kFormType = "multipart/form-data; boundary=b";
const std::string kPng("\x89PNG\r\n\x1a\n0", 9);

std::string part(const std::string& field, const std::string& name, const std::string& type,
                 const std::string& bytes) {
  return "--b\r\nContent-Disposition: form-data; name=\"" + field + "\"; filename=\"" + name +
         "\"\r\nContent-Type: " + type + "\r\n\r\n" + bytes + "\r\n";
}

class FrontEndFilesTest : public ::testing::Test {
 protected:
  Wrapped upload(const std::string& name, const std::string& type, const std::string& bytes,
                 const std::string& query = "") {
    return server_.call("POST", kUpload + query, part("file", name, type, bytes) + "--b--",
                        kFormType);
  }
  Wrapped download(const Wrapped& uploaded, const std::string& token = "tok") {
    return server_.get(text_at(uploaded.data, "webRelativePath"), token);
  }

  FrontEndServer server_;
};

TEST_F(FrontEndFilesTest, File_RoundTrips) {
  const std::string bytes = std::string("a\0\r\n--x", 7) + std::string(100, 'x');
  const Wrapped sent = upload("a b.TXT", "text/plain", bytes, "?businessType=chat&businessId=1");
  ASSERT_EQ(sent.code, 200) << sent.body;
  EXPECT_EQ(text_at(sent.data, "fileName"), "a b.TXT");
  EXPECT_EQ(text_at(sent.data, "fileSize"), "107");
  EXPECT_EQ(text_at(sent.data, "fileExtension"), "txt");
  EXPECT_EQ(text_at(sent.data, "businessType"), "chat");
  const Wrapped got = download(sent);
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, bytes);
  EXPECT_EQ(got.headers.get("Content-Type"), "text/plain");
  EXPECT_EQ(got.headers.get("X-Content-Type-Options"), "nosniff");
  EXPECT_THAT(std::string(got.headers.get("Content-Security-Policy")), HasSubstr("sandbox"));
  EXPECT_EQ(got.headers.get("Content-Disposition"), "attachment; filename*=UTF-8''a%20b.TXT");
  EXPECT_EQ(server_.get("/api/v1/files/user").data.as_array().front().at("downloadCount"), 1);
}

TEST_F(FrontEndFilesTest, LargeFile_ComesWhole) {
  std::string bytes;
  while (bytes.size() < (5U << 20U)) bytes += std::to_string(bytes.size()) + ",";
  const Wrapped got = download(upload("a.bin", "", bytes));
  EXPECT_TRUE(got.body == bytes) << got.body.size();
}

TEST_F(FrontEndFilesTest, OnlyPictures_AreShownInPlace) {
  const Wrapped png = download(upload("a.png", "text/html", kPng));
  EXPECT_EQ(png.headers.get("Content-Type"), "image/png");
  EXPECT_THAT(std::string(png.headers.get("Content-Disposition")), HasSubstr("inline"));
  for (const char* type : {"text/html", "image/svg+xml", "image/png", "text/javascript"}) {
    const Wrapped page = download(upload("a.html", type, "<script>alert(1)</script>"));
    EXPECT_EQ(page.headers.get("Content-Type"), "application/octet-stream") << type;
    EXPECT_THAT(std::string(page.headers.get("Content-Disposition")), HasSubstr("attachment"));
  }
}

TEST_F(FrontEndFilesTest, EmptyFile_IsFile) {
  const Wrapped got = download(upload("empty", "", ""));
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, "");
}

TEST_F(FrontEndFilesTest, Batch_IsListOfSinglePurpose) {
  const Wrapped sent =
      server_.call("POST", std::string(kUpload) + "/batch?businessType=w&businessId=2",
                   part("files", "a", "", "1") + part("other", "x", "", "0") +
                       part("files", "b", "", "2") + "--b--",
                   kFormType);
  ASSERT_EQ(sent.data.as_array().size(), 2U) << sent.body;
  upload("c", "", "3");
  const std::string of = "/api/v1/files/business?businessType=w&businessId=";
  EXPECT_EQ(server_.get(of + "2").data.as_array().size(), 2U);
  EXPECT_TRUE(server_.get(of + "3").data.as_array().empty());
  EXPECT_EQ(server_.get("/api/v1/files/user").data.as_array().size(), 3U);
}

TEST_F(FrontEndFilesTest, DeletedFile_IsNotFound) {
  const Wrapped sent = upload("a", "", "1");
  const std::string path = "/api/v1/files/" + text_at(sent.data, "storedName");
  EXPECT_EQ(server_.call("DELETE", path).code, 200);
  EXPECT_EQ(server_.call("DELETE", path).code, 500);
  EXPECT_EQ(download(sent).status, 404);
}

TEST_F(FrontEndFilesTest, BadUploads_AreRefused) {
  const std::string good = part("file", "a", "", "1") + "--b--";
  EXPECT_EQ(server_.call("POST", kUpload).status, 400);
  EXPECT_EQ(server_.call("POST", kUpload, good).status, 400);
  EXPECT_EQ(server_.call("POST", kUpload, "--b--", kFormType).status, 400);
  EXPECT_EQ(server_.call("POST", kUpload, good.substr(0, good.size() - 5), kFormType).status, 400);
  EXPECT_THAT(server_.call("POST", kUpload, part("x", "a", "", "1") + "--b--", kFormType).message,
              HasSubstr("no file \"file\""));
  EXPECT_EQ(upload("a", "", "1", "?businessType=" + std::string(200, 'x')).status, 400);
  const Wrapped large = upload("a", "", std::string((32U << 20U) + 1, 'x'));
  EXPECT_EQ(large.status, 400);
  EXPECT_THAT(large.message, HasSubstr("32 MiB"));
  EXPECT_TRUE(server_.get("/api/v1/files/user").data.as_array().empty());
}

TEST_F(FrontEndFilesTest, ClimbingNames_FindNothing) {
  for (const char* name : {"..%2F..%2Fchat.db", "%2e%2e", "a%00", "..%5C..", "front_end.db"}) {
    const Wrapped got = server_.get(std::string("/api/v1/files/download/") + name);
    EXPECT_NE(got.status, 200) << name;
    EXPECT_THAT(got.body, Not(HasSubstr("SQLite"))) << name;
  }
  const Wrapped sent = upload("../../../etc/passwd", "text/plain", "1");
  EXPECT_EQ(text_at(sent.data, "fileName"), "passwd");
  EXPECT_THAT(text_at(sent.data, "storedName"), Not(HasSubstr("passwd")));
}

// --- two users, every route ----------------------------------------------------------------------

void put(std::string& target, const std::string& name, const std::string& value) {
  const std::size_t at = target.find(name);
  if (at != std::string::npos) target.replace(at, name.size(), value);
}

TEST_F(FrontEndFilesTest, EachRoute_HidesForeignData) {
  const std::string workflow = text_at(
      server_.call("POST", "/api/v1/workflows", R"({"workflowName":"Alices secret"})").data, "id");
  const std::string content = R"({"content":"{\"nodes\":[],\"links\":[],\"note\":\"secret\"}"})";
  for (const char* what : {"/content", "/versions"}) {
    ASSERT_EQ(server_.call("POST", "/api/v1/workflows/" + workflow + what, content).code, 200);
  }
  const Wrapped file = upload("secret.txt", "text/plain", "secret");
  const std::string stored = text_at(file.data, "storedName");
  int tried = 0;
  for (const access::Row& row : access::rows()) {
    const bool own =
        row.where.starts_with("/api/v1/workflows") || row.where.starts_with("/api/v1/files");
    if (!own) continue;
    std::string target(row.where);
    const bool named = target.find('{') != std::string::npos;
    put(target, "{id}", workflow);
    put(target, "{versionCode}", "v1");
    put(target, "{storedName}", stored);
    const bool body = row.method == "POST" || row.method == "PUT";
    if (!named && body) continue;  // creates a resource of the caller's own
    const Wrapped answer =
        server_.call(row.method, target, body ? content : "", "application/json", "other");
    ++tried;
    EXPECT_THAT(answer.body, Not(HasSubstr("secret"))) << row.method << " " << target;
    if (named) {
      EXPECT_EQ(answer.code, 500) << row.method << " " << target << answer.body;
      EXPECT_TRUE(answer.data.is_null()) << target;
      EXPECT_THAT(answer.message, HasSubstr("no such")) << target;
    } else {
      EXPECT_TRUE(answer.data.as_array().empty()) << target;
    }
  }
  EXPECT_EQ(tried, 13);
  EXPECT_EQ(download(file).body, "secret");
  EXPECT_EQ(server_.get("/api/v1/workflows/" + workflow + "/versions").data.as_array().size(), 1U);
  EXPECT_EQ(text_at(server_.get("/api/v1/workflows/" + workflow).data, "workflowName"),
            "Alices secret");
}

TEST_F(FrontEndFilesTest, EachRoute_WithoutToken_IsRefused) {
  for (const access::Row& row : access::rows()) {
    if (!row.where.starts_with("/api/v1/") || row.need == access::Need::nothing) continue;
    const net::Router::Match match = [&] {
      net::Router router;
      install(router, *server_.world.context);
      return router.match(row.method, std::string(row.where));
    }();
    if (!match.found_path) continue;  // belongs to another part
    std::string target(row.where);
    while (target.find('{') != std::string::npos) {
      target.replace(target.find('{'), target.find('}') - target.find('{') + 1, "x");
    }
    const Wrapped answer = server_.call(row.method, target, "", "", "");
    EXPECT_EQ(answer.status, 401) << row.method << " " << row.where;
    EXPECT_EQ(answer.code, 401) << row.method << " " << row.where;
  }
}

}  // namespace
}  // namespace parley::chat
