// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EffectScope, effectScope } from 'vue';
import { kMaxVoiceSeconds, useVoiceNote, type VoiceNote } from './use_voice_note';

class FakeTrack {
  stopped = false;
  stop(): void {
    this.stopped = true;
  }
}

class FakeRecorder {
  static last: FakeRecorder;
  static readonly isTypeSupported = (type: string) => type === 'audio/mp4';
  state = 'inactive';
  mimeType: string;
  ondataavailable: ((event: { data: Blob }) => void) | null = null;
  onstop: (() => void) | null = null;
  onerror: (() => void) | null = null;

  constructor(
    readonly stream: unknown,
    options: { mimeType?: string },
  ) {
    this.mimeType = `${options.mimeType ?? ''};codecs=aac`;
    FakeRecorder.last = this;
  }

  start(): void {
    this.state = 'recording';
  }

  stop(): void {
    this.state = 'inactive';
    this.onstop?.();
  }

  hear(bytes: number): void {
    this.ondataavailable?.({ data: new Blob([new Uint8Array(bytes)]) });
  }
}

describe('voice note', () => {
  let scope: EffectScope;
  let notes: VoiceNote[];
  let track: FakeTrack;
  let voice: ReturnType<typeof useVoiceNote>;
  let room: number;
  const getUserMedia = vi.fn();

  beforeEach(() => {
    vi.useFakeTimers();
    track = new FakeTrack();
    notes = [];
    room = 10_000_000;
    getUserMedia.mockReset();
    getUserMedia.mockResolvedValue({ getTracks: () => [track] });
    vi.stubGlobal('isSecureContext', true);
    vi.stubGlobal('MediaRecorder', FakeRecorder);
    Object.defineProperty(navigator, 'mediaDevices', { configurable: true, value: { getUserMedia } });
    scope = effectScope();
    const made = scope.run(() =>
      useVoiceNote(
        () => room,
        (note) => notes.push(note),
      ),
    );
    if (!made) throw new Error('no scope');
    voice = made;
  });

  afterEach(() => {
    scope.stop();
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  it('is recorded until it is stopped, and the microphone is released', async () => {
    await voice.start();
    expect(voice.phase.value).toBe('recording');
    FakeRecorder.last.hear(3);
    vi.advanceTimersByTime(7_000);
    expect(voice.seconds.value).toBe(7);
    voice.stop();
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatchObject({ seconds: 7, isFull: false });
    expect([notes[0]?.sound.size, notes[0]?.sound.type]).toEqual([3, 'audio/mp4']);
    expect([voice.phase.value, track.stopped]).toEqual(['idle', true]);
  });

  it('ends by itself after five minutes', async () => {
    await voice.start();
    FakeRecorder.last.hear(3);
    vi.advanceTimersByTime((kMaxVoiceSeconds + 1) * 1000);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatchObject({ seconds: kMaxVoiceSeconds, isFull: true });
  });

  it('ends by itself before the room for it is used', async () => {
    room = 200_000;
    await voice.start();
    FakeRecorder.last.hear(130_000);
    expect(notes).toEqual([]);
    FakeRecorder.last.hear(10_000);
    expect(notes[0]).toMatchObject({ isFull: true });
    expect(notes[0]?.sound.size).toBeLessThan(room);
  });

  it('does not begin without room', async () => {
    room = 100_000;
    await voice.start();
    expect([voice.phase.value, voice.problem.value]).toEqual(['idle', 'noRoom']);
    expect(getUserMedia).not.toHaveBeenCalled();
  });

  it('is gone when it is discarded', async () => {
    await voice.start();
    FakeRecorder.last.hear(3);
    voice.discard();
    expect([notes.length, voice.phase.value, track.stopped]).toEqual([0, 'idle', true]);
  });

  it('is kept when its card goes', async () => {
    await voice.start();
    FakeRecorder.last.hear(3);
    scope.stop();
    expect([notes.length, track.stopped]).toEqual([1, true]);
  });

  it('releases a microphone that is granted after a cancel', async () => {
    const started = voice.start();
    expect(voice.phase.value).toBe('asking');
    voice.discard();
    await started;
    expect([voice.phase.value, track.stopped, notes.length]).toEqual(['idle', true, 0]);
  });

  it.each([
    ['NotAllowedError', 'refused'],
    ['NotFoundError', 'missing'],
    ['NotReadableError', 'busy'],
    ['TypeError', 'failed'],
  ])('has a sentence for %s', async (name, problem) => {
    getUserMedia.mockRejectedValue(new DOMException('no', name));
    await voice.start();
    expect([voice.phase.value, voice.problem.value]).toEqual(['idle', problem]);
  });

  it('has a sentence for pages and browsers without a microphone', async () => {
    vi.stubGlobal('MediaRecorder', undefined);
    await voice.start();
    expect(voice.problem.value).toBe('unsupported');
    vi.stubGlobal('isSecureContext', false);
    await voice.start();
    expect(voice.problem.value).toBe('insecure');
    expect(getUserMedia).not.toHaveBeenCalled();
  });

  it('has a sentence for a recording without data', async () => {
    await voice.start();
    voice.stop();
    expect([notes.length, voice.problem.value]).toEqual([0, 'failed']);
  });
});
