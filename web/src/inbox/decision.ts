// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { formQuestions } from './answer_form';
import { type ChoiceRole, isDecision, roleOf } from './choice_role';
import { type Choice, type Item, textsOf } from './item';

// The place of a choice on the card of a decision. `terminal`: the quiet one.
export type DecisionRole = ChoiceRole | 'terminal';

// A choice of a decision. The labels of one decision differ. `test`: its data-test.
export interface DecisionOption extends Choice {
  role: DecisionRole;
  test?: string;
}

export type DecisionChoices = Readonly<Record<DecisionRole, DecisionOption[]>>;

// Words of src/agents/hook/hook_words.cpp and src/base/core/danger_mark.h, in both languages; a test compares them.
const kTerminal: readonly string[] = ['Answer in the terminal', '在终端中回答'];

// The choices of a permission prompt, by the words of their labels.
export const decisionOptions = (choices: readonly Choice[]): DecisionOption[] =>
  choices.map((choice) => ({ ...choice, role: kTerminal.includes(choice.label) ? 'terminal' : roleOf(choice.label) }));

// The choices by their places; lasting ones are behind "Always…".
export function decisionChoices(options: readonly DecisionOption[]): DecisionChoices {
  const found: DecisionChoices = { allow: [], lasting: [], refuse: [], other: [], terminal: [] };
  for (const option of options) found[option.role].push(option);
  return found;
}

// The place of a rule, as the hook words it; '': unknown, and part of `rule`.
export type RulePlace = 'session' | 'project' | 'user' | '';

const kPlaces: readonly (readonly [string, RulePlace])[] = [
  ['until this session ends', 'session'],
  ['for this project, on this computer', 'project'],
  ['for all projects', 'user'],
  ['直到本次会话结束', 'session'],
  ['用于此项目，仅限本机', 'project'],
  ['用于所有项目', 'user'],
];

export function ruleOf({ description, label }: Choice): { rule: string; place: RulePlace } {
  for (const [words, place] of kPlaces) {
    if (description.endsWith(`, ${words}`)) return { rule: description.slice(0, -words.length - 2), place };
  }
  return { rule: description === '' ? label : description, place: '' };
}

const kWhere = /^(Directory: |目录：)`[^`]*`( · (Mode: |模式：)`[^`]*`)?$/;
const kSays = /^(The agent says:|代理的说明：)$/;
const kWarning = /^\*\*(Careful:|Not understood whole:|注意：|未能完全解析：)\*\*/m;

// True if a danger is named in front of the command, or a part of it could not be read: a permission is confirmed then.
export const isDangerous = (item: Pick<Item, 'prompt'>): boolean =>
  textsOf(item).some((text) => kWarning.test(text.split(/^`{3,}/m, 1)[0] ?? ''));

// A request without the folder and the agent's own words, which differ between agents that ask the same. `where`: the
// line with the folder. A text of another form is the request as a whole.
export function requestOf(text: string): { request: string; where: string } {
  const lines = text.split('\n');
  let fence = '';
  const at = lines.findIndex((line) => {
    if (fence !== '') {
      if (line === fence) fence = '';
      return false;
    }
    fence = /^`{3,}/.exec(line)?.[0] ?? '';
    return kWhere.test(line);
  });
  const [, says, , opens, ...words] = lines.slice(at + 1);
  const ends = lines.length === at + 1;
  const speaks =
    kSays.test(says ?? '') && opens !== undefined && /^`{3,}$/.test(opens) && words.indexOf(opens) === words.length - 1;
  return at < 0 || !(ends || speaks)
    ? { request: text, where: '' }
    : { request: lines.slice(0, at).join('\n'), where: lines[at] ?? '' };
}

// Everything that a decision is about: two prompts with equal ones take the same answer.
function askedBy(item: Item): string {
  const { header, choices } = formQuestions(item.prompt)[0] ?? { header: '', choices: [] };
  return JSON.stringify([
    header,
    choices.map(({ label }) => label),
    textsOf(item).map((text) => requestOf(text).request),
  ]);
}

// Other waiting prompts that ask for the same with the same tool, and offer the same choices.
export function likes(item: Item, waiting: readonly Item[]): Item[] {
  if (!isDecision(item.prompt)) return [];
  const asked = askedBy(item);
  return waiting.filter((other) => other.key !== item.key && isDecision(other.prompt) && askedBy(other) === asked);
}

// The line with the folder of a request, without marks; without one the project that it comes from.
export function whereOf(item: Item): string {
  const line = textsOf(item)
    .map((text) => requestOf(text).where)
    .find((where) => where !== '');
  return line?.replaceAll('`', '') ?? item.prompt.project;
}
