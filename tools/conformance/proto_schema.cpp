// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/conformance/proto_schema.h"

#include <google/protobuf/compiler/importer.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/json_util.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace parley::conformance {
namespace pb = google::protobuf;
namespace json = boost::json;
namespace {

constexpr int kMaxDepth = 100;

class Complaints final : public pb::compiler::MultiFileErrorCollector {
 public:
  void AddError(const std::string& file, int line, int column, const std::string& what) override {
    (void)column;
    text_ += file + ":" + std::to_string(line + 1) + ": " + what + " ";
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class LoadedSchema final : public ProtoSchema {
 public:
  // `owner` keeps the descriptors alive.
  LoadedSchema(std::shared_ptr<void> owner, const pb::DescriptorPool& pool)
      : owner_(std::move(owner)), pool_(pool), factory_(&pool) {}

  core::Result<std::string> encode(const std::string& message,
                                   const json::value& value) const override {
    const auto created = make(message);
    if (!created) return core::fail(created.error());
    const auto status = pb::util::JsonStringToMessage(json::serialize(value), created->get());
    if (!status.ok()) {
      return core::fail(core::Code::invalid_argument,
                        "not a " + message + ": " + std::string(status.message()));
    }
    std::string bytes;
    pb::io::StringOutputStream raw(&bytes);
    pb::io::CodedOutputStream out(&raw);
    out.SetSerializationDeterministic(true);
    (*created)->SerializeToCodedStream(&out);
    out.Trim();
    return bytes;
  }

  core::Result<json::value> decode(const std::string& message,
                                   std::string_view bytes) const override {
    const auto created = make(message);
    if (!created) return core::fail(created.error());
    std::string text;
    const bool read = (*created)->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
    if (!read || !pb::util::MessageToJsonString(**created, &text).ok()) {
      return core::fail(core::Code::invalid_argument, "these bytes are not a " + message);
    }
    boost::system::error_code error;
    json::parse_options options;
    options.max_depth = kMaxDepth;
    json::value value = json::parse(text, error, {}, options);
    if (error) return core::fail(core::Code::internal, "protobuf wrote invalid JSON");
    return value;
  }

 private:
  core::Result<std::unique_ptr<pb::Message>> make(const std::string& message) const {
    const pb::Descriptor* type = pool_.FindMessageTypeByName(message);
    if (type == nullptr) {
      return core::fail(core::Code::invalid_argument, "no message has the name '" + message + "'");
    }
    return std::unique_ptr<pb::Message>(factory_.GetPrototype(type)->New());
  }

  std::shared_ptr<void> owner_;
  const pb::DescriptorPool& pool_;
  mutable pb::DynamicMessageFactory factory_;
};

// A source tree of one folder, and the compiler over it.
struct Compiled {
  pb::compiler::DiskSourceTree tree;
  Complaints complaints;
  std::unique_ptr<pb::compiler::Importer> importer;
};

core::Result<std::shared_ptr<const ProtoSchema>> compile(const std::string& path) {
  const std::filesystem::path file(path);
  auto compiled = std::make_shared<Compiled>();
  const std::string folder = file.parent_path().empty() ? "." : file.parent_path().string();
  compiled->tree.MapPath("", folder);
  compiled->importer =
      std::make_unique<pb::compiler::Importer>(&compiled->tree, &compiled->complaints);
  if (compiled->importer->Import(file.filename().string()) == nullptr) {
    return core::fail(core::Code::invalid_argument, path + ": " + compiled->complaints.text());
  }
  const pb::DescriptorPool& pool = *compiled->importer->pool();
  return std::make_shared<const LoadedSchema>(std::move(compiled), pool);
}

core::Result<std::shared_ptr<const ProtoSchema>> read_set(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  pb::FileDescriptorSet set;
  if (!in || !set.ParseFromIstream(&in)) {
    return core::fail(core::Code::invalid_argument, path + ": not a FileDescriptorSet");
  }
  auto pool = std::make_shared<pb::DescriptorPool>();
  for (const auto& file : set.file()) {
    if (pool->BuildFile(file) == nullptr) {
      return core::fail(core::Code::invalid_argument, path + ": " + file.name() + " is incomplete");
    }
  }
  const pb::DescriptorPool& built = *pool;
  return std::make_shared<const LoadedSchema>(std::move(pool), built);
}

}  // namespace

core::Result<std::shared_ptr<const ProtoSchema>> ProtoSchema::load(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return core::fail(core::Code::not_found, path + ": there is no such file");
  }
  return path.ends_with(".proto") ? compile(path) : read_set(path);
}

}  // namespace parley::conformance
