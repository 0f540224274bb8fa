// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "dialects/api/disk_work.h"
#include "dialects/api/handlers.h"

namespace parley::api {

void get_setup(const Context& context, Call call) {
  if (!context.setup) {
    return send_error(call, {core::Code::not_found, "This server does not know its agents.", {}});
  }
  with_disk<std::string>(
      context, std::move(call), "state of the set-up", context.setup,
      [](Call& from, std::string json) { send_json(from, 200, std::move(json)); });
}

}  // namespace parley::api
