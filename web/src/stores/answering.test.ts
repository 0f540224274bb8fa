// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { createPinia, setActivePinia } from 'pinia';
import { beforeEach, describe, expect, it } from 'vitest';
import { nextTick } from 'vue';
import { kMaxAnswerBytes, pathContent } from '@/inbox/attachments';
import { kUsualReplies } from '@/inbox/quick_replies';
import { useAccount } from './account';
import { useAnswerFiles } from './answer_files';
import { useAnswering } from './answering';
import { useOwnReplies } from './own_replies';
import { useSettings } from './settings';

function reload(): void {
  setActivePinia(createPinia());
}

beforeEach(() => {
  window.localStorage.clear();
  window.sessionStorage.clear();
  reload();
  useAccount().use('secret', false);
});

describe('answering', () => {
  it('adds prefix and suffix only while they are switched on', () => {
    const answering = useAnswering();
    Object.assign(answering, { prefix: '<', suffix: '>' });
    expect(answering.dressed('a')).toBe('<a>');
    answering.affixed = false;
    expect(answering.dressed('a')).toBe('a');
    reload();
    expect([useAnswering().prefix, useAnswering().suffix, useAnswering().affixed]).toEqual(['<', '>', false]);
  });

  it('has the quick replies of the language until they are edited', async () => {
    const answering = useAnswering();
    expect(answering.replies).toEqual(kUsualReplies.en);
    useSettings().language = 'zh';
    await nextTick();
    expect(answering.replies).toEqual(kUsualReplies.zh);
    answering.setReplies(['Go', 'Go', '']);
    expect(answering.replies).toEqual(['Go']);
    reload();
    expect(useAnswering().replies).toEqual(['Go']);
    useAnswering().setReplies(null);
    expect(useAnswering().replies).toEqual(kUsualReplies.zh);
  });

  it('survives stored values of another form', () => {
    for (const stored of ['null', '3', '{"prefix":3,"quick":"x","affixed":null}', '{']) {
      window.localStorage.setItem('parley.answering', stored);
      reload();
      expect([useAnswering().prefix, useAnswering().quick, useAnswering().affixed]).toEqual(['', null, true]);
    }
  });
});

describe('own replies', () => {
  it('are kept per account without its token', () => {
    useOwnReplies().add('mine');
    useAccount().use('another', false);
    expect(useOwnReplies().list()).toEqual([]);
    useOwnReplies().add('theirs');
    reload();
    useAccount().use('secret', false);
    expect(useOwnReplies().list()).toEqual(['mine']);
    expect(JSON.stringify({ ...window.localStorage })).not.toContain('secret');
  });

  it('are joined with those of other tabs', () => {
    const here = useOwnReplies();
    here.add('one');
    reload();
    useOwnReplies().add('two');
    here.add('three');
    expect(here.list()).toEqual(['one', 'two', 'three']);
  });

  it('can be forgotten', () => {
    useOwnReplies().add('one');
    useOwnReplies().clear();
    reload();
    expect(useOwnReplies().list()).toEqual([]);
  });
});

describe('files of answers', () => {
  const file = (id: string, size: number) => ({
    id,
    name: id,
    kind: 'file' as const,
    size,
    seconds: 0,
    content: pathContent('file:///x'),
  });

  it('are kept per question and refused without room', () => {
    const files = useAnswerFiles();
    expect(files.add('q1', file('a', kMaxAnswerBytes))).toBeNull();
    expect(files.add('q1', file('b', 1))).toBe('noRoom');
    expect(files.add('q2', file('c', 1))).toBeNull();
    expect([files.of('q1').length, files.of('q2').length, files.isEmpty]).toEqual([1, 1, false]);
    files.remove('q2', 'c');
    files.drop('q1');
    expect(files.isEmpty).toBe(true);
  });
});
