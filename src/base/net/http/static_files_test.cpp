// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/static_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/net/http/console_assets.h"
#include "tests/support/net/http_test_world.h"

namespace parley::net {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::array<Asset, 3> kAssets = {{
    {"/index.html", "text/html; charset=utf-8", "<html>", "gz", "br", "aa", false},
    {"/assets/app-1a2b.js", "text/javascript; charset=utf-8", "script", "gz", "br", "bb", true},
    {"/assets/font.woff2", "font/woff2", "font", "", "", "cc", true},
}};

Request get(std::string path, std::string accept_encoding = {}, std::string known = {}) {
  Request request;
  request.method = "GET";
  request.path = std::move(path);
  if (!accept_encoding.empty()) request.headers.add("Accept-Encoding", std::move(accept_encoding));
  if (!known.empty()) request.headers.add("If-None-Match", std::move(known));
  return request;
}

TEST(StaticFiles, LinkWithToken_IsNotCached) {
  const StaticFiles files(kAssets);
  Request request = get("/");
  request.query = "lang=en&token=secret";
  EXPECT_EQ(files.answer(request).headers.get("Cache-Control"), "no-store");
  request.path = "/assets/app-1a2b.js";
  EXPECT_EQ(files.answer(request).headers.get("Cache-Control"), "no-store");
  request.query = "lang=en";
  EXPECT_NE(files.answer(request).headers.get("Cache-Control"), "no-store");
}

struct EncodingCase {
  std::string accept;
  std::string body;
};

TEST(StaticFiles, BestAcceptedEncoding_IsServed) {
  const StaticFiles files(kAssets);
  const std::vector<EncodingCase> cases = {
      {"", "script"},
      {"gzip, deflate, br", "br"},
      {"gzip", "gz"},
      {"BR", "br"},
      {"br;q=0, gzip", "gz"},
      {"br;q=0, gzip;q=0", "script"},
      {"*", "br"},
      {"*, br;q=0", "gz"},
      {"*;q=0", "script"},
      {"identity", "script"},
      {"br;q=0.1, gzip;q=1", "br"},
      {"br;q=nonsense", "script"},
  };
  for (const EncodingCase& one : cases) {
    const Response response = files.answer(get("/assets/app-1a2b.js", one.accept));
    EXPECT_EQ(response.content(), one.body) << one.accept;
    const std::string coding = one.body == "script" ? "" : one.body == "gz" ? "gzip" : "br";
    EXPECT_EQ(response.headers.get("Content-Encoding"), coding) << one.accept;
    EXPECT_EQ(response.headers.get("Vary"), "Accept-Encoding") << one.accept;
  }
  EXPECT_FALSE(files.answer(get("/assets/font.woff2", "br")).headers.has("Content-Encoding"));
}

TEST(StaticFiles, CachedFile_IsNotSentAgain) {
  const StaticFiles files(kAssets);
  EXPECT_EQ(files.answer(get("/")).headers.get("ETag"), "\"aa\"");
  EXPECT_EQ(files.answer(get("/", "br")).headers.get("ETag"), "\"aa-br\"");
  const Response known = files.answer(get("/", "", "\"x\", W/\"aa\""));
  EXPECT_EQ(known.status, 304);
  EXPECT_EQ(known.content(), "");
  EXPECT_EQ(known.headers.get("ETag"), "\"aa\"");
  EXPECT_EQ(files.answer(get("/", "br", "\"aa-br\"")).status, 304);
  EXPECT_EQ(files.answer(get("/", "", "*")).status, 304);
  EXPECT_EQ(files.answer(get("/", "br", "\"aa\"")).status, 200);
  EXPECT_EQ(files.answer(get("/", "", "\"a\"")).status, 200);
}

TEST(StaticFiles, Pages_AreRevalidated_HashedFilesNever) {
  const StaticFiles files(kAssets);
  EXPECT_EQ(files.answer(get("/")).headers.get("Cache-Control"), "no-cache");
  EXPECT_THAT(std::string(files.answer(get("/assets/app-1a2b.js")).headers.get("Cache-Control")),
              HasSubstr("immutable"));
}

TEST(StaticFiles, Page_HasStrictPolicy) {
  const StaticFiles files(kAssets);
  const std::string policy(files.answer(get("/index.html")).headers.get("Content-Security-Policy"));
  for (const std::string_view part : {"default-src 'self'", "object-src 'none'", "base-uri 'none'",
                                      "frame-ancestors 'none'", "connect-src 'self'"}) {
    EXPECT_THAT(policy, HasSubstr(std::string(part)));
  }
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
}

TEST(StaticFiles, Worker_IsRevalidatedAndMayFetch) {
  constexpr std::array<Asset, 1> kWorker = {
      {{"/console/sw.js", "text/javascript; charset=utf-8", "worker", "", "", "dd", false}}};
  const Response worker = StaticFiles(kWorker).answer(get("/console/sw.js"));
  EXPECT_EQ(worker.headers.get("Cache-Control"), "no-cache");
  EXPECT_EQ(worker.headers.get("Content-Security-Policy"), kWorkerPolicy);
}

TEST(StaticFiles, MissingFile_IsPageForBrowserJsonForOthers) {
  const StaticFiles files(kAssets);
  Request request = get("/assets/none.js");
  EXPECT_EQ(files.answer(request).status, 404);
  EXPECT_EQ(files.answer(request).headers.get("Content-Type"), "application/json");
  request.headers.add("Accept", "text/html,application/xhtml+xml;q=0.9");
  EXPECT_EQ(files.answer(request).status, 404);
  EXPECT_THAT(files.answer(request).body, HasSubstr("Page not found"));
}

TEST(StaticFiles, Files_AreServedBehindOtherRoutes) {
  const StaticFiles files(kAssets);
  HttpWorld world;
  world.router.add("GET", "/v1/x", [](const Request&, Responder responder) {
    responder.send(Response::text(200, "api"));
  });
  StaticFiles::install(world.router, files);
  world.start();
  EXPECT_EQ(world.request("GET", "/").body, "<html>");
  EXPECT_EQ(world.request("GET", "/v1/x").body, "api");
  EXPECT_EQ(world.request("GET", "/../../etc/passwd").status, 404);
  EXPECT_EQ(world.request("POST", "/", "", "x").status, 404);
  EXPECT_EQ(world.request("HEAD", "/").headers.get("Content-Length"), "6");
  const WireResponse same = world.request("GET", "/", "If-None-Match: \"aa\"\r\n");
  EXPECT_EQ(same.status, 304);
  EXPECT_FALSE(same.headers.has("Content-Length"));
}

TEST(ConsoleAssets, Page_HasTagAndType) {
  const StaticFiles files(console_assets());
  const Response page = files.answer(get("/"));
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.headers.get("Content-Type"), "text/html; charset=utf-8");
  EXPECT_THAT(std::string(page.content()), HasSubstr("<title>Parley"));
  EXPECT_GT(page.headers.get("ETag").size(), 16U);
  for (const char* folder : {"/", "/console/"}) {
    const Response worker = files.answer(get(std::string(folder) + "sw.js"));
    EXPECT_EQ(worker.headers.get("Content-Type"), "text/javascript; charset=utf-8");
    const Response manifest = files.answer(get(std::string(folder) + "manifest.webmanifest"));
    EXPECT_EQ(manifest.headers.get("Content-Type"), "application/manifest+json");
  }
  for (const Asset& asset : console_assets()) {
    EXPECT_FALSE(asset.identity.empty()) << asset.path;
    EXPECT_EQ(asset.immutable, asset.path.starts_with("/assets/")) << asset.path;
  }
}

// --- a front end before the console --------------------------------------------------------------

constexpr std::array<Asset, 3> kFrontEnd = {{
    {"/index.html", "text/html; charset=utf-8", "<their page>", "", "", "11", false},
    {"/assets/main.js", "text/javascript; charset=utf-8", "their script", "", "", "22", false},
    {"/docs/index.html", "text/html; charset=utf-8", "<their docs>", "", "", "33", false},
}};

class FrontEndFiles : public testing::Test {
 protected:
  FrontEndFiles() {
    world_.router.add("GET", "/api/v1/me", [](const Request&, Responder responder) {
      responder.send(Response::text(200, "me"));
    });
    world_.router.add("POST", "/v1/*", [](const Request&, Responder responder) {
      responder.send(Response::text(200, "posted"));
    });
    StaticFiles::install(world_.router, front_end_, console_);
    world_.start();
  }
  WireResponse get_it(const std::string& target) { return world_.request("GET", target); }

  StaticFiles console_{kAssets};
  StaticFiles front_end_{kFrontEnd, kFrontEndPolicy};
  HttpWorld world_;
};

TEST_F(FrontEndFiles, PagePaths_ServePage) {
  for (const char* path : {"/", "/index.html", "/login", "/comfy/workflows/7", "/a.b/c", "/x/"}) {
    const WireResponse page = get_it(path);
    EXPECT_EQ(page.status, 200) << path;
    EXPECT_EQ(page.body, "<their page>") << path;
    EXPECT_EQ(page.headers.get("Content-Security-Policy"), kFrontEndPolicy) << path;
  }
  EXPECT_EQ(get_it("/docs/").body, "<their docs>");
  EXPECT_EQ(get_it("/assets/main.js").body, "their script");
  EXPECT_EQ(world_.request("HEAD", "/login").status, 200);
}

TEST_F(FrontEndFiles, ApiPaths_NeverServePage) {
  for (const char* path : {"/api", "/api/", "/api/v1/nothing", "/v1", "/v1/nothing"}) {
    const WireResponse answer = get_it(path);
    EXPECT_TRUE(answer.status == 404 || answer.status == 405) << path << " " << answer.status;
    EXPECT_THAT(answer.body, Not(HasSubstr("their page")));
  }
  EXPECT_EQ(get_it("/api/v1/me").body, "me");
  EXPECT_EQ(get_it("/apiary").body, "<their page>");
  EXPECT_EQ(world_.request("POST", "/login").status, 404);
}

TEST_F(FrontEndFiles, MissingFile_DoesNotServePage) {
  for (const char* path : {"/assets/gone.js", "/favicon.ico", "/.env", "/a/.git"}) {
    EXPECT_EQ(get_it(path).status, 404) << path;
  }
}

TEST_F(FrontEndFiles, DottedPath_OpenedAsPage_ServesPage) {
  const std::string path = "/comfy/workflows/settings-127.0.0.1-8188";
  for (const char* headers :
       {"Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n",
        "Accept: */*\r\nSec-Fetch-Dest: document\r\n", "Sec-Fetch-Dest: iframe\r\n"}) {
    const WireResponse page = world_.request("GET", path, headers);
    EXPECT_EQ(page.status, 200) << headers;
    EXPECT_EQ(page.body, "<their page>") << headers;
  }
  for (const char* headers :
       {"Accept: */*\r\n", "Accept: text/html\r\nSec-Fetch-Dest: script\r\n"}) {
    EXPECT_EQ(world_.request("GET", path, headers).status, 404) << headers;
  }
  EXPECT_EQ(world_.request("GET", "/a/.git", "Accept: text/html\r\n").status, 404);
  EXPECT_EQ(world_.request("GET", "/api/v1.html", "Accept: text/html\r\n").status, 404);
}

TEST_F(FrontEndFiles, Console_HasOwnPathAndPolicy) {
  for (const char* path : {"/console", "/console/"}) {
    const WireResponse page = get_it(path);
    EXPECT_EQ(page.body, "<html>") << path;
    EXPECT_EQ(page.headers.get("Content-Security-Policy"), kConsolePolicy);
  }
  EXPECT_EQ(get_it("/assets/app-1a2b.js").body, "script");
  const WireResponse link = get_it("/?token=T&lang=en");
  EXPECT_EQ(link.status, 302);
  EXPECT_EQ(link.headers.get("Location"), "/console/?token=T&lang=en");
  EXPECT_EQ(link.headers.get("Cache-Control"), "no-store");
}

}  // namespace
}  // namespace parley::net
