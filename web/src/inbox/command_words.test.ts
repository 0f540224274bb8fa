// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { commandWords, kUsualTemplate } from './command_words';

const kReview = { name: 'review', path: '.claude/commands/review.md', kind: 'command' };

it('a command is named with its file', () => {
  expect(commandWords(kUsualTemplate, kReview)).toBe('/review (.claude/commands/review.md)');
});

it('a template may name each part, and other words between signs stay', () => {
  expect(commandWords('Run the %type% %name%, %100%', kReview)).toBe('Run the command review, %100%');
  expect(commandWords('%name%', { ...kReview, name: '%path%$&' })).toBe('%path%$&');
});
