// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli.h"

int main(int argc, char** argv) { return parley::app::run_server_program(argc, argv); }
