// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

const kLoudest = 0.18; // gain at the volume 100

// Plays two soft notes, a fifth apart. `volume`: 0 to 100. Silent until the first click or key: browsers require it.
export function playSoftSound(volume: number): void {
  const Context = (window as { AudioContext?: typeof AudioContext }).AudioContext;
  if (!Context || volume <= 0) return;
  const context = new Context();
  const begin = context.currentTime + 0.02;
  [523.25, 783.99].forEach((pitch, index) => {
    const at = begin + index * 0.14;
    const tone = context.createOscillator();
    const gain = context.createGain();
    tone.type = 'sine';
    tone.frequency.value = pitch;
    gain.gain.setValueAtTime(0.0001, at);
    gain.gain.exponentialRampToValueAtTime((kLoudest * volume) / 100, at + 0.03);
    gain.gain.exponentialRampToValueAtTime(0.0001, at + 0.5);
    tone.connect(gain).connect(context.destination);
    tone.start(at);
    tone.stop(at + 0.55);
  });
  setTimeout(() => void context.close(), 1500);
}
