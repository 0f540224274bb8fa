// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/front_end_folder.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/core/temp_folder.h"
#include "base/net/http/compression.h"

namespace parley::app {
namespace {

using core::Code;
using testing::ElementsAre;
using testing::HasSubstr;

class FrontEndFolderTest : public ::testing::Test {
 protected:
  FrontEndFolderTest() { write("index.html", "<page>"); }
  void write(const std::string& name, const std::string& bytes) const {
    const std::filesystem::path path(folder_.file(name));
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << bytes;
  }
  std::vector<std::string> paths() const {
    const auto loaded = FrontEndFolder::load(folder_.path());
    EXPECT_TRUE(loaded) << loaded.error().message;
    std::vector<std::string> out;
    for (const net::Asset& asset : (*loaded)->assets()) out.emplace_back(asset.path);
    std::sort(out.begin(), out.end());
    return out;
  }
  core::Error fault(const FrontEndLimits& limits) const {
    const auto loaded = FrontEndFolder::load(folder_.path(), limits);
    EXPECT_FALSE(loaded);
    return loaded ? core::Error{} : loaded.error();
  }

  core::TempFolder folder_{"parley-site"};
};

TEST_F(FrontEndFolderTest, Files_HaveTypesAndTags) {
  write("assets/main.JS", "script");
  write("assets/data.bin", "data");
  const auto loaded = FrontEndFolder::load(folder_.path());
  ASSERT_TRUE(loaded);
  for (const net::Asset& asset : (*loaded)->assets()) {
    EXPECT_EQ(asset.etag.size(), 32U);
    EXPECT_FALSE(asset.immutable);
    if (asset.path == "/assets/main.JS") {
      EXPECT_THAT(asset.content_type, HasSubstr("javascript"));
    }
    if (asset.path == "/assets/data.bin") {
      EXPECT_EQ(asset.content_type, "application/octet-stream");
    }
  }
  EXPECT_THAT(paths(), ElementsAre("/assets/data.bin", "/assets/main.JS", "/index.html"));
}

TEST_F(FrontEndFolderTest, HiddenFilesAndLinks_AreLeftOut) {
  const core::TempFolder elsewhere;
  std::ofstream(elsewhere.file("secret.txt")) << "secret";
  write(".env", "secret");
  write(".git/config", "secret");
  write("a/.hidden/b.txt", "secret");
  namespace fs = std::filesystem;
  fs::create_symlink(elsewhere.file("secret.txt"), folder_.file("link.txt"));
  fs::create_directory_symlink(elsewhere.path(), folder_.file("folder"));
  fs::create_symlink("index.html", folder_.file("own.html"));
  ASSERT_EQ(::mkfifo(folder_.file("pipe").c_str(), 0600), 0);
  EXPECT_THAT(paths(), ElementsAre("/index.html"));
}

TEST_F(FrontEndFolderTest, CompressedForms_BelongToFiles) {
  write("a.js", std::string(5'000, 'a'));
  write("b.js", "b");
  write("b.js.gz", "packed");
  write("b.js.br", "packed more");
  write("c.tar.gz", "whole");
  EXPECT_THAT(paths(), ElementsAre("/a.js", "/b.js", "/c.tar.gz", "/index.html"));
  const auto loaded = FrontEndFolder::load(folder_.path());
  for (const net::Asset& asset : (*loaded)->assets()) {
    if (asset.path == "/b.js") {
      EXPECT_EQ(asset.gzip, "packed");
      EXPECT_EQ(asset.br, "packed more");
    }
    if (asset.path == "/a.js") {
      EXPECT_EQ(net::gunzip(asset.gzip, 10'000), std::string(5'000, 'a'));
    }
  }
}

TEST_F(FrontEndFolderTest, PagePolicy_AllowsOwnInlineScripts) {
  EXPECT_EQ((*FrontEndFolder::load(folder_.path()))->page_policy(), net::kFrontEndPolicy);
  write("index.html", "<script>alert(1)</script><script src=\"/a.js\"></script>");
  const auto loaded = FrontEndFolder::load(folder_.path());
  EXPECT_THAT(
      (*loaded)->page_policy(),
      HasSubstr("; script-src 'self' 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=';"));
  EXPECT_THAT((*loaded)->page_policy(), HasSubstr("frame-ancestors 'none'"));
}

TEST_F(FrontEndFolderTest, FolderWithoutPage_IsRefused) {
  EXPECT_EQ(FrontEndFolder::load(folder_.file("nothing")).error().code, Code::not_found);
  EXPECT_EQ(FrontEndFolder::load(folder_.file("index.html")).error().code, Code::not_found);
  std::filesystem::remove(folder_.file("index.html"));
  EXPECT_THAT(FrontEndFolder::load(folder_.path()).error().message, HasSubstr("no index.html"));
}

TEST_F(FrontEndFolderTest, EachLimit_IsNamed) {
  write("a/b/c.txt", "123456");
  FrontEndLimits limits;
  limits.files = 1;
  EXPECT_THAT(fault(limits).message, HasSubstr("more than 1 files"));
  limits = {};
  limits.depth = 1;
  EXPECT_THAT(fault(limits).message, HasSubstr("more than 1 levels of folders"));
  limits = {};
  limits.file_bytes = 3;
  EXPECT_THAT(fault(limits).message, HasSubstr("a file of more than"));
  limits = {};
  limits.bytes = 7;
  EXPECT_EQ(fault(limits).code, Code::resource_exhausted);
}

}  // namespace
}  // namespace parley::app
