// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { flows } from './flows.js';
import { Firefox } from './lib/firefox.js';

flows(Firefox);
