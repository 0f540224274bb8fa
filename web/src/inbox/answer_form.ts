// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { Prompt, StructuredQuestion } from './item';

// A person's input for one question.
export interface FilledQuestion {
  chosen: string[];
  custom: string;
}

export function emptyFill(prompt: Prompt): FilledQuestion[] {
  return formQuestions(prompt).map(() => ({ chosen: [], custom: '' }));
}

// The questions of a prompt; a plain one counts as one question with free text.
export function formQuestions(prompt: Prompt): StructuredQuestion[] {
  if (prompt.questions.length > 0) return prompt.questions.map(distinctChoices);
  return [{ text: prompt.text, header: '', choices: [], multiple: false, custom: true }];
}

// Choices with equal labels have their number in the label, so that a person and the agent can tell them apart.
export function distinctChoices(question: StructuredQuestion): StructuredQuestion {
  const labels = question.choices.map(({ label }) => label);
  if (new Set(labels).size === labels.length) return question;
  const isRepeated = (label: string) => labels.indexOf(label) !== labels.lastIndexOf(label);
  const choices = question.choices.map((choice, at) =>
    isRepeated(choice.label) ? { ...choice, label: `${choice.label} (${at + 1})` } : choice,
  );
  return { ...question, choices };
}

// A question without choices is answered by free text only.
export function takesText(question: StructuredQuestion): boolean {
  return question.custom || question.choices.length === 0;
}

// True if one click on a choice completes the answer.
export function answersAtOnce(prompt: Prompt): boolean {
  const questions = formQuestions(prompt);
  const only = questions[0];
  return questions.length === 1 && only !== undefined && only.choices.length > 0 && !only.multiple;
}

export function toggleChoice(question: StructuredQuestion, fill: FilledQuestion, label: string): FilledQuestion {
  const had = fill.chosen.includes(label);
  if (!question.multiple) return { ...fill, chosen: had ? [] : [label] };
  const chosen = had ? fill.chosen.filter((it) => it !== label) : [...fill.chosen, label];
  const order = question.choices.map((choice) => choice.label);
  return { ...fill, chosen: chosen.sort((a, b) => order.indexOf(a) - order.indexOf(b)) };
}

function valueOf(question: StructuredQuestion, fill: FilledQuestion | undefined): string {
  if (!fill) return '';
  const custom = takesText(question) ? fill.custom.trim() : '';
  return [...fill.chosen, ...(custom === '' ? [] : [custom])].join(', ');
}

export function isComplete(prompt: Prompt, fills: readonly FilledQuestion[]): boolean {
  return formQuestions(prompt).every((question, index) => valueOf(question, fills[index]) !== '');
}

export function hasAnything(prompt: Prompt, fills: readonly FilledQuestion[]): boolean {
  return formQuestions(prompt).some((question, index) => valueOf(question, fills[index]) !== '');
}

// The text that the agent receives: for one question the answer itself, for several questions two lines per
// question, `Q: header` and `A: a, b`.
export function formatAnswer(prompt: Prompt, fills: readonly FilledQuestion[]): string {
  const questions = formQuestions(prompt);
  const only = questions[0];
  if (questions.length === 1 && only) return valueOf(only, fills[0]);
  return questions
    .map((question, index) => {
      const title = question.header || question.text;
      return `Q: ${title}\nA: ${valueOf(question, fills[index])}`;
    })
    .join('\n');
}

// The chosen labels and the typed text of each question, for an agent that must not guess from the text: prefix, suffix
// and commas in a label make it ambiguous. docs/protocol-assistant.md.
export function answerMeta(prompt: Prompt, fills: readonly FilledQuestion[]): Record<string, string> {
  if (prompt.questions.length === 0) return {};
  const texts = prompt.questions.map((question, index) =>
    takesText(question) ? (fills[index]?.custom.trim() ?? '') : '',
  );
  return { choices: JSON.stringify(fills.map(({ chosen }) => chosen)), texts: JSON.stringify(texts) };
}

// The words that a person has typed, without chosen options.
export function typedText(fills: readonly FilledQuestion[]): string {
  return fills
    .map(({ custom }) => custom.trim())
    .filter((it) => it !== '')
    .join('\n');
}
