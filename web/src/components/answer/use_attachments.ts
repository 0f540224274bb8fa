// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { computed, onMounted, onScopeDispose, ref } from 'vue';
import { useI18n } from 'vue-i18n';
import {
  addressName,
  type Attached,
  fileAddresses,
  kMaxAnswerBytes,
  kMaxAttachments,
  kMaxMegabytes,
  pathContent,
  type Refusal,
  refusalOf,
  sizeWords,
  usedBytes,
} from '@/inbox/attachments';
import type { AnswerContent } from '@/inbox/item';
import { contentOfFile } from '@/protocol/content';
import { useAnswerFiles } from '@/stores/answer_files';
import { randomId } from '@/text/random_id';
import { decodes } from './pictures';

const kNoType = 'application/octet-stream';

// The attachments of the answer to one question: files that are picked, dropped, pasted or recorded. `problems`
// has a sentence for each file that was left out or is sent as something else.
export function useAttachments(key: string) {
  const { t } = useI18n();
  const store = useAnswerFiles();
  const problems = ref<string[]>([]);
  const list = computed(() => store.of(key));
  const used = computed(() => usedBytes(list.value));

  function refuse(why: Refusal, name: string, size: number): void {
    const left = sizeWords(Math.max(0, kMaxAnswerBytes - used.value));
    problems.value.push(
      t(`answer.files.refused.${why}`, {
        name,
        size: sizeWords(size),
        left,
        limit: kMaxMegabytes,
        count: kMaxAttachments,
      }),
    );
  }

  function put(one: Attached): boolean {
    const refusal = store.add(key, one);
    if (refusal !== null) refuse(refusal, one.name, one.size);
    return refusal === null;
  }

  async function addFile(file: File, seconds: number): Promise<void> {
    const { name, size, type } = file;
    const refusal = refusalOf(size, list.value);
    if (refusal !== null) {
      refuse(refusal, name, size);
      return;
    }
    let content: AnswerContent;
    try {
      content = await contentOfFile(file);
      if (content.type === 'image' && !(await decodes(file))) {
        content = await contentOfFile(new File([file], name, { type: kNoType }));
      }
    } catch {
      refuse('unreadable', name, size);
      return;
    }
    const kind = content.type === 'image' ? 'picture' : content.type === 'audio' ? 'sound' : 'file';
    const added = put({ id: randomId(), name, kind, size, seconds, content });
    if (added && type !== content.mimeType && type.startsWith('image/'))
      problems.value.push(t('answer.files.notPicture', { name }));
  }

  async function add(files: Iterable<File>, seconds = 0): Promise<void> {
    problems.value = [];
    for (const file of files) await addFile(file, seconds);
  }

  // Takes files, or addresses of files, out of a paste or a drop; false: there are none.
  function take(data: DataTransfer | null): boolean {
    const files = [...(data?.files ?? [])];
    if (files.length > 0) {
      void add(files);
      return true;
    }
    const addresses = fileAddresses(data?.getData('text/uri-list') || data?.getData('text/plain') || '');
    if (addresses.length === 0) return false;
    problems.value = [];
    for (const address of addresses) {
      put({
        id: randomId(),
        name: addressName(address),
        kind: 'path',
        size: address.length,
        seconds: 0,
        content: pathContent(address),
      });
    }
    return true;
  }

  function remove(id: string): void {
    store.remove(key, id);
  }

  return { list, used, problems, add, take, remove };
}

// True for copied text that comes with a picture of itself, as office programs write it.
export function isRichText(data: DataTransfer | null): boolean {
  return data?.types.includes('text/html') === true && data.getData('text/plain').trim() !== '';
}

const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;

// A drop zone: `over` while files are dragged over it. A file that is dropped beside it does not replace the page.
export function useDrop(take: (data: DataTransfer | null) => boolean) {
  const over = ref(false);

  function dragged(event: DragEvent): void {
    const addresses = event.dataTransfer?.types.includes('text/uri-list') === true;
    if (!holdsFiles(event) && !addresses) return;
    if (holdsFiles(event) || !(event.target instanceof HTMLTextAreaElement)) event.preventDefault();
    over.value = true;
  }

  function left(event: DragEvent): void {
    const to = event.relatedTarget;
    if (!(to instanceof Node) || !(event.currentTarget as Node).contains(to)) over.value = false;
  }

  function dropped(event: DragEvent): void {
    over.value = false;
    if (take(event.dataTransfer)) event.preventDefault();
  }

  function guard(event: DragEvent): void {
    if (holdsFiles(event)) event.preventDefault();
  }

  onMounted(() => {
    window.addEventListener('dragover', guard);
    window.addEventListener('drop', guard);
  });
  onScopeDispose(() => {
    window.removeEventListener('dragover', guard);
    window.removeEventListener('drop', guard);
  });
  return { over, dragged, left, dropped };
}

// The browser asks before it leaves the page while attachments would be lost.
export function useLeaveGuard(): void {
  const store = useAnswerFiles();
  function leaving(event: BeforeUnloadEvent): void {
    if (!store.isEmpty) event.preventDefault();
  }
  onMounted(() => {
    window.addEventListener('beforeunload', leaving);
  });
  onScopeDispose(() => {
    window.removeEventListener('beforeunload', leaving);
  });
}
