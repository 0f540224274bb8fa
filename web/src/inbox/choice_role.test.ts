// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decidedChoice, isDecision, isSentByPress, mayBeCut, roleOf } from './choice_role';
import { type Item, type Prompt, textContent } from './item';

const prompt = (...labels: string[]): Prompt =>
  ({
    text: 'Run it?',
    project: '',
    agent: '',
    model: '',
    client: '',
    timeoutS: 0,
    questions: [
      {
        text: 'Run it?',
        header: '',
        choices: labels.map((label) => ({ label, description: '' })),
        multiple: false,
        custom: true,
      },
    ],
  }) as unknown as Prompt;

describe('the role of a choice', () => {
  it('is that of the server', () => {
    const source = readFileSync(new URL('../../../src/model/session/choice_role.cpp', import.meta.url), 'utf8');
    const rows = [...source.matchAll(/\{"([^"]+)", ChoiceRole::(\w+)\}/g)].map(([, label, role]) => [
      label,
      role === 'allow_once' ? 'allow' : role === 'elsewhere' ? 'other' : role,
    ]);
    expect(rows.length).toBeGreaterThan(5);
    for (const [label, role] of rows) expect(roleOf(label ?? ''), label).toBe(role);
    for (const label of ['Always', 'Always 3']) expect(roleOf(label)).toBe('lasting');
  });

  it('is known of each label of parley hook, in both languages', () => {
    const source = readFileSync(new URL('../../../src/agents/hook/hook_words.cpp', import.meta.url), 'utf8');
    const roles = {
      allow_once: 'allow',
      always: 'lasting',
      deny: 'refuse',
      deny_and_stop: 'refuse',
      in_terminal: 'other',
      approve: 'allow',
      approve_edits: 'lasting',
      keep_planning: 'refuse',
    };
    for (const [phrase, role] of Object.entries(roles)) {
      const [, english, chinese] = new RegExp(`\\{Phrase::${phrase}, "([^"]+)", "([^"]+)"\\}`).exec(source) ?? [];
      expect(roleOf(english ?? ''), phrase).toBe(role);
      expect(roleOf(chinese ?? ''), phrase).toBe(role);
    }
  });

  it('makes a decision of a prompt that can be refused', () => {
    expect(isDecision(prompt('Allow once', 'Always 1', 'Deny'))).toBe(true);
    expect(isDecision(prompt('Red', 'Blue'))).toBe(false);
  });

  it('decides by one press, except what a key allows and what lasts', () => {
    const table = [
      'Allow once',
      'Approve',
      'Always 1',
      'Approve, accept edits',
      'Deny',
      'Keep planning',
      'Answer in the terminal',
      'Red',
    ];
    expect(table.filter((label) => !isSentByPress(roleOf(label), false))).toEqual([
      'Always 1',
      'Approve, accept edits',
    ]);
    expect(table.filter((label) => !isSentByPress(roleOf(label), true))).toEqual([
      'Allow once',
      'Approve',
      'Always 1',
      'Approve, accept edits',
    ]);
    expect(roleOf('Allow once (2)')).toBe('allow');
  });

  it('is told from the answer, whatever it says beside its label', () => {
    const answered = (text: string, isError = false): Item => ({
      key: 'a',
      kind: 'question',
      prompt: prompt('Allow once', 'Always 1', 'Deny', 'Deny and stop'),
      openedAt: 0,
      deadline: 0,
      state: 'answered',
      outcome: { isError, contents: [textContent(text)], reason: '', clientId: '', nickname: '', channel: '', at: 0 },
    });
    const decided = (text: string) => decidedChoice(answered(text))?.label;
    expect(
      [
        'Allow once',
        'Always 1',
        'Deny',
        'Deny, use ninja',
        'Deny: use ninja',
        'Deny and stop, enough',
        'Deny this',
        'Maybe',
      ].map(decided),
    ).toEqual(['Allow once', 'Always 1', 'Deny', 'Deny', 'Deny', 'Deny and stop', undefined, undefined]);
    expect(decidedChoice(answered('Allow once', true))).toBeNull();
    expect(decidedChoice({ ...answered('Allow once'), state: 'expired' })).toBeNull();
  });

  it('waits for the end of a long text', () => {
    expect(mayBeCut('make')).toBe(false);
    expect(mayBeCut('x'.repeat(401))).toBe(true);
    expect(mayBeCut('\n'.repeat(8))).toBe(true);
  });
});
