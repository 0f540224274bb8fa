// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { Prompt } from './item';

// What a choice of a permission prompt does; the labels are those of src/session/choice_role.cpp. `lasting`: it allows more
// than what is shown.
export type ChoiceRole = 'other' | 'allow' | 'lasting' | 'refuse' | 'elsewhere';

const kRoles: Record<string, ChoiceRole> = {
  'Allow once': 'allow',
  Allow: 'allow',
  Approve: 'allow',
  'Approve, accept edits': 'lasting',
  Deny: 'refuse',
  'Deny and stop': 'refuse',
  'Keep planning': 'refuse',
  'Answer in the terminal': 'elsewhere',
};

export const roleOf = (label: string): ChoiceRole => kRoles[label] ?? (label.startsWith('Always') ? 'lasting' : 'other');

export const allows = (label: string): boolean => ['allow', 'lasting'].includes(roleOf(label));

// True for a permission prompt: something can be refused.
export function isDecision({ questions }: Prompt): boolean {
  const only = questions[0];
  return questions.length === 1 && only !== undefined && !only.multiple && only.choices.some(({ label }) => roleOf(label) === 'refuse');
}

const kSeenChars = 400;
const kSeenLines = 8;

// True if a text may not fit on a screen, so that its end must have been shown before it is allowed.
export const mayBeCut = (text: string): boolean => text.length > kSeenChars || text.split('\n').length > kSeenLines;
