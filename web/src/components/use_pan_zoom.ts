// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { computed, onMounted, onScopeDispose, type Ref, ref } from 'vue';
import { type Box, wholeScale } from '@/runs/scene';

const kLeast = 0.15;
const kMost = 2.5;
const kWhole = 0.56; // least scale at which the automatic fit shows the whole picture
const kReadable = 0.64; // least scale of the automatic fit otherwise: letters of 8 pixels
const kDragSlack = 4;

// Pans a picture with wheel and drag, and zooms it with ctrl+wheel and two fingers.
export function usePanZoom(
  frame: Readonly<Ref<HTMLElement | null>>,
  size: Readonly<Ref<{ width: number; height: number; across: boolean }>>,
) {
  const scale = ref(1);
  const x = ref(0); // of the picture's corner, in the frame's pixels
  const y = ref(0);
  const width = ref(400);
  const height = ref(600);
  const touched = ref(false); // the person has moved the picture
  const pointers = new Map<number, { x: number; y: number }>();
  let dragged = 0;

  const transform = computed(() => `translate(${x.value} ${y.value}) scale(${scale.value})`);
  // The visible part of the picture, with a margin.
  const sight = computed<Box>(() => {
    const spare = 200;
    return {
      x1: (-x.value - spare) / scale.value,
      y1: (-y.value - spare) / scale.value,
      x2: (width.value - x.value + spare) / scale.value,
      y2: (height.value - y.value + spare) / scale.value,
    };
  });

  function zoomAt(factor: number, px = width.value / 2, py = height.value / 2): void {
    const next = Math.min(kMost, Math.max(kLeast, scale.value * factor));
    const ratio = next / scale.value;
    x.value = px - (px - x.value) * ratio;
    y.value = py - (py - y.value) * ratio;
    scale.value = next;
    touched.value = true;
  }

  function pan(dx: number, dy: number): void {
    x.value += dx;
    y.value += dy;
    touched.value = true;
  }

  // Fits the whole picture, or as much as is readable: from its beginning, and centred across.
  function fit(whole = false): void {
    const wanted = wholeScale(size.value, { width: width.value, height: height.value });
    const { across } = size.value;
    const aside = Math.min(
      1,
      across ? height.value / Math.max(1, size.value.height) : width.value / Math.max(1, size.value.width),
    );
    if (whole) scale.value = Math.max(kLeast, wanted);
    else scale.value = wanted >= kWhole ? wanted : Math.max(kReadable, aside);
    const left = (width.value - size.value.width * scale.value) / 2;
    const top = (height.value - size.value.height * scale.value) / 2;
    x.value = across ? Math.max(0, left) : left;
    y.value = across || whole ? top : 0;
    touched.value = false;
  }

  // Pans as little as necessary to make a box visible.
  function reveal({ x1, x2, y1, y2 }: Box, margin = 32): void {
    const left = x1 * scale.value + x.value - margin;
    const right = x2 * scale.value + x.value + margin;
    const top = y1 * scale.value + y.value - margin;
    const bottom = y2 * scale.value + y.value + margin;
    if (left < 0) x.value -= left;
    else if (right > width.value) x.value -= Math.min(right - width.value, left);
    if (top < 0) y.value -= top;
    else if (bottom > height.value) y.value -= Math.min(bottom - height.value, top);
  }

  function onWheel(event: WheelEvent): void {
    event.preventDefault();
    const place = frame.value?.getBoundingClientRect();
    if (event.ctrlKey || event.metaKey)
      zoomAt(Math.exp(-event.deltaY / 240), event.clientX - (place?.left ?? 0), event.clientY - (place?.top ?? 0));
    else pan(-event.deltaX, -event.deltaY);
  }

  function onDown(event: PointerEvent): void {
    if (event.pointerType === 'mouse' && event.button !== 0) return;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    dragged = 0;
  }

  function onMove(event: PointerEvent): void {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const [dx, dy] = [event.clientX - before.x, event.clientY - before.y];
    dragged += Math.hypot(dx, dy);
    if (dragged > kDragSlack) frame.value?.setPointerCapture(event.pointerId);
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const place = frame.value?.getBoundingClientRect();
      const was = Math.hypot(before.x - other.x, before.y - other.y);
      const is = Math.hypot(event.clientX - other.x, event.clientY - other.y);
      zoomAt(
        is / Math.max(1, was),
        (event.clientX + other.x) / 2 - (place?.left ?? 0),
        (event.clientY + other.y) / 2 - (place?.top ?? 0),
      );
    } else if (dragged > kDragSlack) {
      pan(dx, dy);
    }
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  function onUp(event: PointerEvent): void {
    pointers.delete(event.pointerId);
  }

  const observer = new ResizeObserver(() => {
    width.value = frame.value?.clientWidth ?? 400;
    height.value = frame.value?.clientHeight ?? 600;
  });
  onMounted(() => {
    if (frame.value) observer.observe(frame.value);
  });
  onScopeDispose(() => {
    observer.disconnect();
  });

  return {
    scale,
    width,
    height,
    transform,
    sight,
    touched,
    zoomAt,
    pan,
    fit,
    reveal,
    onWheel,
    onDown,
    onMove,
    onUp,
    wasDragged: () => dragged > kDragSlack,
  };
}

export type PanZoom = ReturnType<typeof usePanZoom>;
