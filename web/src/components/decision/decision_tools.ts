// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// Everything about decisions, in one chunk.
export { decisionEn } from '@/i18n/decision_en';
export { default as ConfirmBar } from './ConfirmBar.vue';
export { default as DecidedBefore } from './DecidedBefore.vue';
export { default as DecisionChoices } from './DecisionChoices.vue';
export { default as DecisionForm } from './DecisionForm.vue';
