// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { computed, ref, watchEffect } from 'vue';
import { useI18n } from 'vue-i18n';
import {
  answerMeta,
  answersAtOnce,
  emptyFill,
  type FilledQuestion,
  formatAnswer,
  formQuestions,
  hasAnything,
  isComplete,
  toggleChoice,
} from '@/inbox/answer_form';
import { type Item, textContent } from '@/inbox/item';
import { noteShown } from '@/inbox/shown';
import { useAnswerFiles } from '@/stores/answer_files';
import { useAnswering } from '@/stores/answering';
import { useDrafts } from '@/stores/drafts';
import { useInbox } from '@/stores/inbox';
import { useLostAnswers } from '@/stores/lost_answers';
import { useOwnReplies } from '@/stores/own_replies';

// The answer to one question, from its draft to its sending. `bare`: without prefix and suffix.
export function useAnswer(item: Item) {
  const { key, kind, prompt } = item;
  const { t } = useI18n();
  const inbox = useInbox();
  const drafts = useDrafts();
  const files = useAnswerFiles();
  const answering = useAnswering();
  const lost = useLostAnswers();
  const replies = useOwnReplies();

  const questions = formQuestions(prompt);
  const single = questions.length === 1;
  const isTask = kind === 'task_finish';
  const atOnce = answersAtOnce(prompt);
  const fills = ref<FilledQuestion[]>(drafts.get(key) ?? emptyFill(prompt));
  const hasWords = computed(() => hasAnything(prompt, fills.value));
  const written = computed(() => hasWords.value || files.of(key).length > 0);
  const complete = computed(() => (single ? written.value : isComplete(prompt, fills.value)));
  const words = computed(() => (hasWords.value ? formatAnswer(prompt, fills.value) : ''));
  const outgoing = computed(() => answering.dressed(words.value, !single));

  watchEffect(() => void noteShown(inbox.find(key) ?? item));

  function change(index: number, part: Partial<FilledQuestion>): void {
    fills.value = fills.value.map((old, at) => (at === index ? { ...old, ...part } : old));
    drafts.set(key, fills.value);
  }

  function toggle(index: number, label: string): void {
    const question = questions[index];
    const fill = fills.value[index];
    if (question && fill) change(index, toggleChoice(question, fill, label));
  }

  function transmit(text: string, meta: Record<string, string> = {}): void {
    // Another answer has won in the moment before this one was sent.
    const ended = inbox.find(key);
    if (ended && ended.state !== 'pending')
      return lost.keep(key, { text, files: files.of(key).map(({ name }) => name) });
    inbox.answer(
      key,
      [...(text === '' ? [] : [textContent(text)]), ...files.of(key).map(({ content }) => content)],
      meta,
    );
  }

  function send(bare: boolean): void {
    if (complete.value) {
      transmit(bare ? words.value : outgoing.value, answerMeta(prompt, fills.value));
      for (const { custom } of fills.value) replies.add(custom);
    } else if (isTask) {
      transmit(t('card.confirmText'));
    }
  }

  // The same answer to another request that asks the same.
  function sendTo(other: string): void {
    if (complete.value) inbox.answer(other, [textContent(outgoing.value)], answerMeta(prompt, fills.value));
  }

  function sendQuick(text: string, bare: boolean): void {
    transmit(bare ? text : answering.dressed(text));
    replies.add(text);
  }

  return {
    questions,
    single,
    isTask,
    atOnce,
    fills,
    written,
    complete,
    words,
    outgoing,
    change,
    toggle,
    send,
    sendTo,
    sendQuick,
  };
}
