// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import {
  answerMeta,
  answersAtOnce,
  emptyFill,
  formatAnswer,
  formQuestions,
  hasAnything,
  isComplete,
  toggleChoice,
} from './answer_form';
import type { Prompt, StructuredQuestion } from './item';

function question(part: Partial<StructuredQuestion>): StructuredQuestion {
  return { text: 'Which?', header: 'Kind', choices: [], multiple: false, custom: true, ...part };
}

function prompt(...questions: StructuredQuestion[]): Prompt {
  return { text: 'Which?', project: '', agent: '', model: '', client: '', timeoutS: 1, questions };
}

const kAB = [
  { label: 'A', description: '' },
  { label: 'B', description: '' },
];

describe('answer form', () => {
  it('answers a plain question with the given words', () => {
    expect(formatAnswer(prompt(), [{ chosen: [], custom: '  go on ' }])).toBe('go on');
  });

  it('answers one question with the chosen label', () => {
    const asked = prompt(question({ choices: kAB }));
    expect(answersAtOnce(asked)).toBe(true);
    expect(formatAnswer(asked, [{ chosen: ['B'], custom: '' }])).toBe('B');
  });

  it('joins several labels in question order, then own words', () => {
    const many = question({ choices: kAB, multiple: true });
    let fill = toggleChoice(many, { chosen: [], custom: 'C' }, 'B');
    fill = toggleChoice(many, fill, 'A');
    expect(formatAnswer(prompt(many), [fill])).toBe('A, B, C');
    expect(answersAtOnce(prompt(many))).toBe(false);
  });

  it('unchooses a chosen label', () => {
    const one = question({ choices: kAB });
    expect(toggleChoice(one, { chosen: ['A'], custom: '' }, 'A').chosen).toEqual([]);
    expect(toggleChoice(one, { chosen: ['A'], custom: '' }, 'B').chosen).toEqual(['B']);
  });

  it('writes several questions as line pairs, by header or else text', () => {
    const asked = prompt(question({ choices: kAB }), question({ header: '', text: 'Why?' }));
    const fills = [
      { chosen: ['A'], custom: '' },
      { chosen: [], custom: 'because' },
    ];
    expect(formatAnswer(asked, fills)).toBe('Q: Kind\nA: A\nQ: Why?\nA: because');
  });

  it('tells the chosen labels and the typed text of each structured question apart', () => {
    const asked = prompt(question({ choices: kAB, multiple: true }), question({ choices: kAB, custom: false }));
    const fills = [
      { chosen: ['A', 'B'], custom: ' and C ' },
      { chosen: ['B'], custom: 'left over' },
    ];
    expect(answerMeta(asked, fills)).toEqual({ choices: '[["A","B"],["B"]]', texts: '["and C",""]' });
    expect(answerMeta(prompt(), [{ chosen: [], custom: 'go on' }])).toEqual({});
  });

  it('is complete when every question has an answer', () => {
    const asked = prompt(question({ choices: kAB }), question({}));
    expect(isComplete(asked, emptyFill(asked))).toBe(false);
    expect(hasAnything(asked, emptyFill(asked))).toBe(false);
    const half = [
      { chosen: ['A'], custom: '' },
      { chosen: [], custom: ' ' },
    ];
    expect(isComplete(asked, half)).toBe(false);
    expect(hasAnything(asked, half)).toBe(true);
  });

  it('numbers choices with equal labels', () => {
    const asked = prompt(question({ choices: [...kAB, ...kAB.slice(0, 1)] }));
    expect(formQuestions(asked)[0]?.choices.map(({ label }) => label)).toEqual(['A (1)', 'B', 'A (3)']);
    expect(formQuestions(prompt(question({ choices: kAB })))[0]?.choices).toEqual(kAB);
  });

  it('takes no own words where the question forbids them', () => {
    const strict = prompt(question({ choices: kAB, custom: false }));
    expect(formatAnswer(strict, [{ chosen: ['A'], custom: 'left over' }])).toBe('A');
  });
});
