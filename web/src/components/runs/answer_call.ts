// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { InjectionKey, Ref } from 'vue';

// Answers a tool's question for approval; false: another answer won.
export type AnswerCall = (callId: string, allow: boolean, reason: string) => Promise<boolean>;
export const kAnswerCall: InjectionKey<AnswerCall> = Symbol('answer a tool call');
// The run of the page that answers.
export const kRunId: InjectionKey<Readonly<Ref<string>>> = Symbol('the run of the page');
