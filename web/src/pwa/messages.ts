// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// Messages between the pages and the service worker.
export const kSkipMessage = 'parley.skip'; // page to worker: take over from the earlier version now
export const kOpenMessage = 'parley.open'; // worker to page: {type, address}
export const kFilesMessage = 'parley.files'; // page to worker, with a port: the hashed files of its version
