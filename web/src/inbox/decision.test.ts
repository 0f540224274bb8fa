// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decisionChoices, decisionOptions, isDangerous, likes, requestOf, ruleOf, whereOf } from './decision';
import { type Item, textsOf } from './item';

const choice = (label: string, description = '') => ({ label, description });
const kChoices = ['Allow once', 'Always 1', 'Edit command', 'Deny', 'Deny and stop', 'Answer in the terminal'].map(
  (label) => choice(label),
);
const request = (command: string, folder: string, says = '') =>
  `May it run this command?\n\n\`\`\`sh\n${command}\n\`\`\`\n\nDirectory: \`${folder}\` · Mode: \`default\`` +
  (says === '' ? '' : `\n\nThe agent says:\n\n\`\`\`\n${says}\n\`\`\``);

function prompt(key: string, text: string, header = 'Bash'): Item {
  const questions = [{ text, header, choices: kChoices, multiple: false, custom: true }];
  return {
    key,
    kind: 'question',
    prompt: { text, project: '', agent: '', model: '', client: '', timeoutS: 0, questions },
    openedAt: 0,
    deadline: 0,
    state: 'pending',
    outcome: null,
  };
}

describe('the choices of a decision', () => {
  it('have their places by their roles', () => {
    const found = decisionChoices(decisionOptions(kChoices));
    expect(Object.values(found).map((all) => all.map(({ label }: { label: string }) => label))).toEqual([
      ['Allow once'],
      ['Always 1'],
      ['Deny', 'Deny and stop'],
      ['Edit command'],
      ['Answer in the terminal'],
    ]);
  });

  it('tell a rule and its place apart, in the words of the hook', () => {
    expect(ruleOf(choice('Always 1', 'Bash(git push:*), for this project, on this computer'))).toEqual({
      rule: 'Bash(git push:*)',
      place: 'project',
    });
    expect(ruleOf(choice('Always 2', 'every use of Bash, until this session ends')).place).toBe('session');
    expect(ruleOf(choice('Always', 'until OpenCode ends, also others: ["a"]'))).toEqual({
      rule: 'until OpenCode ends, also others: ["a"]',
      place: '',
    });
  });

  it('are found by the words of the hook, in both languages', () => {
    const source = (path: string) => readFileSync(new URL(`../../../src/${path}`, import.meta.url), 'utf8');
    const rows = new Map(
      [...source('agents/hook/hook_words.cpp').matchAll(/\{Phrase::(\w+),\s*"([^"]+)",\s*"([^"]+)"\}/g)].map(
        ([, name, ...both]) => [name ?? '', both],
      ),
    );
    for (const at of [0, 1]) {
      const said = (name: string) => rows.get(name)?.[at] ?? `no ${name}`;
      expect(
        [said('this_session'), said('this_project'), said('all_projects')].map(
          (it) => ruleOf(choice('Always 1', `x, ${it}`)).place,
        ),
      ).toEqual(['session', 'project', 'user']);
      expect(decisionChoices(decisionOptions([choice(said('in_terminal'))])).terminal).toHaveLength(1);
      const where = `${said('directory')}\`/a\` · ${said('mode')}\`plan\``;
      expect(requestOf(`Run?\n\n${where}\n\n${said('agent_says')}\n\n\`\`\`\nx\n\`\`\``)).toEqual({
        request: 'Run?\n',
        where,
      });
    }
    const marks = [...source('base/core/danger_mark.h').matchAll(/"(\*\*[^"*]+\*\*)/g)].map(([, mark]) => mark ?? '');
    expect(marks).toHaveLength(4);
    for (const mark of marks)
      expect(isDangerous(prompt('a', `Run?\n\n${mark}\n\n\`\`\`sh\nls\n\`\`\``)), mark).toBe(true);
  });

  it('are dangerous by what stands in front of the command alone', () => {
    expect(isDangerous(prompt('a', request('ls', '/a')))).toBe(false);
    expect(isDangerous(prompt('a', request('echo "**Careful:**"\n**Careful:**', '/a', '**Careful:**')))).toBe(false);
  });

  it('are dangerous by the text of the prompt too', () => {
    const mark = 'Run?\n\n**Careful:** it deletes files.';
    for (const text of ['', 'Go on?']) {
      const asked = prompt('a', text);
      expect(isDangerous({ prompt: { ...asked.prompt, text: mark } })).toBe(true);
    }
  });
});

describe('prompts that ask the like', () => {
  it('have the same request, in any folder and with any words of the agent', () => {
    const mine = prompt('a', request('npm test', '/a', 'Runs the tests'));
    const others = [
      prompt('b', request('npm test', '/b')),
      prompt('c', request('npm test', '/c', 'Tests')),
      prompt('d', request('npm test ', '/d')),
      prompt('e', request('npm test', '/e'), 'Shell'),
    ];
    expect(likes(mine, [mine, ...others]).map(({ key }) => key)).toEqual(['b', 'c']);
    expect(whereOf(mine)).toBe('Directory: /a · Mode: default');
  });

  it('differ in everything that is asked, whatever it imitates', () => {
    const imitation = (end: string) => request(`ls\n\nDirectory: \`/a\`\n${end}`, '/a');
    expect(likes(prompt('a', imitation('ls')), [prompt('b', imitation('rm -rf /'))])).toEqual([]);
    const behind = (end: string) => `${request('ls', '/a')}\n\n${end}`;
    expect(requestOf(behind('also: rm'))).toEqual({ request: behind('also: rm'), where: '' });
    const spoken = (end: string) => `${request('ls', '/a', 'x')}\n${end}`;
    expect(likes(prompt('a', spoken('one')), [prompt('b', spoken('two'))])).toEqual([]);
  });

  it('come from their project, where no folder is named', () => {
    const mine = prompt('a', 'Deploy it?');
    expect(whereOf({ ...mine, prompt: { ...mine.prompt, project: '/src/shop' } })).toBe('/src/shop');
  });

  it('say the same around the question', () => {
    const [mine, other] = [prompt('a', 'Go on?'), prompt('b', 'Go on?')];
    const around = (text: string) => [{ ...other, prompt: { ...other.prompt, text } }];
    expect(likes(mine, around('Go on?'))).toHaveLength(1);
    expect(likes(mine, around('Delete the database'))).toEqual([]);
    expect(textsOf(around('Delete the database')[0] as Item)).toEqual(['Delete the database', 'Go on?']);
  });

  it('offer the same choices', () => {
    const [mine, other] = [prompt('a', 'Go on?'), prompt('b', 'Go on?')];
    const [question] = other.prompt.questions;
    if (question === undefined) throw new Error('no question');
    const choices = [...question.choices.slice(0, -1), choice('Deny')]; // twice: they get numbers
    expect(likes(mine, [{ ...other, prompt: { ...other.prompt, questions: [{ ...question, choices }] } }])).toEqual([]);
  });

  it('are decisions themselves', () => {
    const mine = prompt('a', 'Go on?');
    const plain = { ...prompt('b', 'Go on?'), prompt: { ...mine.prompt, questions: [] } };
    expect(likes(mine, [plain])).toEqual([]);
  });
});
