// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { InjectionKey } from 'vue';

// Starts a run with a message in the session of the shown run, and opens its page.
export type SayMore = (message: string) => Promise<void>;
export const kSayMore: InjectionKey<SayMore> = Symbol('go on with a conversation');
