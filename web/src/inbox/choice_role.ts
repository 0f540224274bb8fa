// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { answerText, type Choice, type Item, type Prompt } from './item';

// The effect of a choice of a permission prompt, by its label, as in src/model/session/choice_role.cpp. `lasting`: it
// allows more than what is shown.
export type ChoiceRole = 'other' | 'allow' | 'lasting' | 'refuse';

export function roleOf(text: string): ChoiceRole {
  const label = text.replace(/ \(\d+\)$/, ''); // see distinctChoices()
  if (/^(Allow( once)?|Approve|允许一次|批准)$/.test(label)) return 'allow';
  if (/^(Always|Approve, |始终允许|批准并)/.test(label)) return 'lasting';
  return /^(Deny( and stop)?|Keep planning|拒绝(并停止)?|继续规划)$/.test(label) ? 'refuse' : 'other';
}

// True if one press sends a choice, after a moment in which it can be undone. A permission takes a click or a tap, or a
// key and its confirmation; one that lasts is confirmed in any case.
export function isSentByPress(role: string, byKey: boolean): boolean {
  return role !== 'lasting' && !(byKey && role === 'allow');
}

// True for a permission prompt: something can be refused.
export function isDecision({ questions }: Prompt): boolean {
  const only = questions[0];
  return (
    questions.length === 1 &&
    only !== undefined &&
    !only.multiple &&
    only.choices.some(({ label }) => roleOf(label) === 'refuse')
  );
}

// The choice that has decided a permission prompt; null: none, or its answer has other words.
export function decidedChoice({ outcome, prompt, state }: Item): Choice | null {
  if (state !== 'answered' || outcome?.isError !== false || !isDecision(prompt)) return null;
  const text = answerText(outcome.contents);
  const found =
    prompt.questions[0]?.choices.filter(
      ({ label }) => text === label || text.startsWith(`${label}, `) || text.startsWith(`${label}: `),
    ) ?? [];
  return found.sort((a, b) => b.label.length - a.label.length)[0] ?? null;
}

// True if a text may not fit on a screen, so that its end must have been shown before it is allowed.
export const mayBeCut = (text: string): boolean => text.length > 400 || /(\n[^\n]*){8}/.test(text);
