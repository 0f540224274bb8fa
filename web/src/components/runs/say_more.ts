// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { InjectionKey } from 'vue';

// Says something in the session of the run that is shown, and goes to the run that answers.
export type SayMore = (message: string) => Promise<void>;
export const kSayMore: InjectionKey<SayMore> = Symbol('go on with a conversation');
