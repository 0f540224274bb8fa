// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { flows } from './flows.js';
import { WebKit } from './lib/webkit.js';

flows(WebKit);
