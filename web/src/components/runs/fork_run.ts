// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { InjectionKey } from 'vue';

// Starts a new run from a checkpoint and opens its page.
export type ForkRun = (checkpointId: string, message: string) => Promise<void>;
export const kForkRun: InjectionKey<ForkRun> = Symbol('fork a run');
