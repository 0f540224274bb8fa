// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { onScopeDispose, ref } from 'vue';
import { soundMeter, type SoundMeter } from './sound_meter';

// Limit (Answers in the console): a voice note at 32 kbit/s, in the room that is left. Reached: the recording ends, is
// attached, and a sentence says so.
export const kMaxVoiceSeconds = 300;
export const kLevels = 24; // shown levels, the newest last
const kBitsPerSecond = 32_000;
const kSliceMs = 500;
const kTickMs = 100;
const kSpareBytes = 64 * 1024; // more than arrives within two slices
const kTypes = ['audio/webm;codecs=opus', 'audio/webm', 'audio/mp4', 'audio/ogg;codecs=opus'];

export type VoicePhase = 'idle' | 'asking' | 'recording';
export type VoiceProblem = 'noRoom' | 'insecure' | 'unsupported' | 'refused' | 'missing' | 'busy' | 'failed';

export interface VoiceNote {
  sound: Blob; // its type has no parameters: "audio/webm"
  seconds: number;
  isFull: boolean; // ended at a limit
}

const kProblems: Record<string, VoiceProblem> = {
  NotAllowedError: 'refused',
  SecurityError: 'refused',
  NotFoundError: 'missing',
  NotReadableError: 'busy',
  AbortError: 'busy',
  OverconstrainedError: 'missing',
};

export function voiceProblem(error: unknown): VoiceProblem {
  return kProblems[error instanceof Error || error instanceof DOMException ? error.name : ''] ?? 'failed';
}

function unavailable(): VoiceProblem | null {
  const { MediaRecorder: recorder } = window as Partial<typeof globalThis>;
  const devices = (navigator as Partial<Navigator>).mediaDevices;
  if (!window.isSecureContext) return 'insecure';
  return recorder === undefined || devices === undefined ? 'unsupported' : null;
}

// Records one voice note at a time from the microphone. It ends by stop(), after kMaxVoiceSeconds, when `room`
// bytes are used, or with the scope; `done` then gets it. discard() ends it without.
export function useVoiceNote(room: () => number, done: (note: VoiceNote) => void) {
  const phase = ref<VoicePhase>('idle');
  const problem = ref<VoiceProblem | null>(null);
  const seconds = ref(0);
  const levels = ref<number[]>([]);
  let attempt = 0; // a microphone that is granted to an earlier attempt is released
  let end: ((how: 'kept' | 'full' | 'discarded') => void) | null = null;

  async function start(): Promise<void> {
    if (phase.value !== 'idle') return;
    problem.value = room() < 2 * kSpareBytes ? 'noRoom' : unavailable();
    if (problem.value !== null) return;
    attempt += 1;
    const mine = attempt;
    phase.value = 'asking';
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      try {
        if (mine === attempt) record(stream);
        else release(stream);
      } catch (error) {
        release(stream); // a browser may have the microphone and no type of recording
        throw error;
      }
    } catch (error) {
      if (mine !== attempt) return;
      phase.value = 'idle';
      problem.value = voiceProblem(error);
    }
  }

  function record(stream: MediaStream): void {
    const type = kTypes.find((it) => MediaRecorder.isTypeSupported(it));
    const recorder = new MediaRecorder(stream, {
      audioBitsPerSecond: kBitsPerSecond,
      ...(type ? { mimeType: type } : {}),
    });
    const meter = soundMeter(stream);
    const chunks: Blob[] = [];
    const begun = Date.now();
    let bytes = 0;
    let how: 'kept' | 'full' | 'discarded' = 'kept';
    const length = () => (Date.now() - begun) / 1000;
    end = (next) => {
      how = next;
      seconds.value = Math.min(length(), kMaxVoiceSeconds);
      if (recorder.state !== 'inactive') recorder.stop();
    };
    const timer = setInterval(() => {
      seconds.value = Math.min(length(), kMaxVoiceSeconds);
      levels.value = [...levels.value, meter.level()].slice(-kLevels);
      if (length() >= kMaxVoiceSeconds) end?.('full');
    }, kTickMs);
    recorder.ondataavailable = ({ data }) => {
      chunks.push(data);
      bytes += data.size;
      if (bytes + kSpareBytes > room()) end?.('full');
    };
    recorder.onerror = () => {
      problem.value = 'failed';
    };
    recorder.onstop = () => {
      if (how === 'kept') seconds.value = Math.min(length(), kMaxVoiceSeconds);
      finish(timer, meter, stream);
      const sound = new Blob(chunks, { type: (recorder.mimeType || type || 'audio/webm').replace(/;.*$/, '') });
      if (how !== 'discarded' && sound.size > 0) done({ sound, seconds: seconds.value, isFull: how === 'full' });
      else if (how !== 'discarded') problem.value ??= 'failed';
    };
    levels.value = [];
    seconds.value = 0;
    recorder.start(kSliceMs);
    phase.value = 'recording';
  }

  function finish(timer: ReturnType<typeof setInterval>, meter: SoundMeter, stream: MediaStream): void {
    clearInterval(timer);
    meter.close();
    release(stream);
    end = null;
    phase.value = 'idle';
  }

  function release(stream: MediaStream): void {
    for (const track of stream.getTracks()) track.stop();
  }

  function stop(): void {
    end?.('kept');
  }

  function discard(): void {
    attempt += 1;
    if (phase.value === 'asking') phase.value = 'idle';
    end?.('discarded');
  }

  onScopeDispose(() => {
    attempt += 1;
    stop();
  });
  return { phase, problem, seconds, levels, start, stop, discard };
}
