// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineAsyncComponent } from 'vue';
import { i18n } from '@/i18n';

type Tools = typeof import('./decision_tools');

const kRetryMs = 1_000;
let tools: Promise<Tools> | null = null;

// The parts of a decision and their English texts; the other language has them already.
export async function wantDecisions(): Promise<Tools> {
  tools ??= import('./decision_tools').then((loaded) => {
    i18n.global.mergeLocaleMessage('en', { decision: loaded.decisionEn });
    return loaded;
  });
  try {
    return await tools;
  } catch (error) {
    tools = null;
    throw error;
  }
}

// A server that is away comes back: a decision is never without its choices for good.
function part<Name extends 'ConfirmBar' | 'DecidedBefore' | 'DecisionChoices' | 'DecisionForm'>(name: Name) {
  return defineAsyncComponent<Tools[Name]>({
    loader: async () => (await wantDecisions())[name],
    onError: (_error, retry) => void setTimeout(retry, kRetryMs),
  });
}

export const ConfirmBar = part('ConfirmBar');
export const DecidedBefore = part('DecidedBefore');
export const DecisionChoices = part('DecisionChoices');
export const DecisionForm = part('DecisionForm');
