// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { onScopeDispose, ref } from 'vue';

export type DictationProblem = 'refused' | 'missing' | 'network' | 'failed';

interface Heard {
  readonly isFinal: boolean;
  readonly 0?: { readonly transcript: string };
}

interface ResultEvent {
  readonly resultIndex: number;
  readonly results: ArrayLike<Heard>;
}

// The members of SpeechRecognition that are used.
interface Recognition {
  continuous: boolean;
  interimResults: boolean;
  lang: string;
  onresult: ((event: ResultEvent) => void) | null;
  onerror: ((event: { readonly error: string }) => void) | null;
  onend: (() => void) | null;
  start(): void;
  stop(): void;
  abort(): void;
}

const kProblems: Record<string, DictationProblem | null> = {
  'not-allowed': 'refused',
  'service-not-allowed': 'refused',
  'audio-capture': 'missing',
  network: 'network',
  'no-speech': null,
  aborted: null,
};

function recognition(): (new () => Recognition) | undefined {
  const offered = window as {
    SpeechRecognition?: new () => Recognition;
    webkitSpeechRecognition?: new () => Recognition;
  };
  return offered.SpeechRecognition ?? offered.webkitSpeechRecognition;
}

// Speech as text, where the browser offers it. `words` gets each finished phrase; `guess` has the unfinished one.
export function useDictation(language: () => string, words: (text: string) => void) {
  const Offered = recognition();
  const isOffered = Offered !== undefined && window.isSecureContext;
  const listening = ref(false);
  const guess = ref('');
  const problem = ref<DictationProblem | null>(null);
  let current: Recognition | null = null;

  function onResult({ resultIndex, results }: ResultEvent): void {
    guess.value = '';
    for (const result of Array.from(results).slice(resultIndex)) {
      const text = result[0]?.transcript ?? '';
      if (result.isFinal) words(text.trim());
      else guess.value += text;
    }
  }

  function ended(): void {
    current = null;
    listening.value = false;
    guess.value = '';
  }

  function start(): void {
    if (!Offered || current) return;
    problem.value = null;
    const next = new Offered();
    Object.assign(next, { continuous: true, interimResults: true, lang: language() });
    next.onresult = onResult;
    next.onerror = ({ error }) => {
      problem.value = error in kProblems ? (kProblems[error] ?? null) : 'failed';
    };
    next.onend = ended;
    try {
      next.start();
    } catch {
      problem.value = 'failed';
      return;
    }
    current = next;
    listening.value = true;
  }

  function stop(): void {
    current?.stop();
  }

  onScopeDispose(() => current?.abort());
  return { isOffered, listening, guess, problem, start, stop };
}
