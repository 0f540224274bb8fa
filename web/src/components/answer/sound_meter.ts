// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

export interface SoundMeter {
  level(): number; // 0: silence, 1: loud
  close(): void;
}

const kSilent: SoundMeter = {
  level: () => 0,
  close: () => undefined,
};
const kGain = 4; // speech has about a quarter of the full scale

// Measures how loud a stream is now. Silent where the browser cannot measure it.
export function soundMeter(stream: MediaStream): SoundMeter {
  const { AudioContext: Context } = window as Partial<typeof globalThis>;
  if (!Context) return kSilent;
  const context = new Context();
  const analyser = context.createAnalyser();
  analyser.fftSize = 4096;
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  return {
    level() {
      analyser.getFloatTimeDomainData(samples);
      const power = samples.reduce((sum, it) => sum + it * it, 0) / samples.length;
      return Math.min(1, Math.sqrt(power) * kGain);
    },
    close() {
      void context.close();
    },
  };
}
