import { startTransition, useEffect, useState } from 'react';

/** Drawn beside those in sight, so that the next arrow key and a little scrolling find a cell. */
const BESIDE = 2;
/** Before anything was measured: a week whole, of many spaces a few, so that the page is there before its columns are. */
const atFirst = (count: number): Window => ({
  from: 0,
  to: count <= 7 ? count : 3,
  isWide: count > 7,
});

interface Window {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** There are more columns than fit. */
  readonly isWide: boolean;
}

/** Of many columns only those in sight are drawn and asked for; `kept` has the focus and stays. */
export function useColumnWindow(
  scroller: React.RefObject<HTMLElement | null>,
  count: number,
  kept: number,
): { rendered: number[]; isSeen: (index: number) => boolean; isWide: boolean } {
  const [seen, setSeen] = useState(() => atFirst(count));
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const measure = (): void => {
      const next = windowOf(element, count);
      const isSame = (before: Window): boolean =>
        before.from === next.from && before.to === next.to && before.isWide === next.isWide;
      setSeen((before) => (isSame(before) ? before : next));
    };
    // Not in the task that opens the screen.
    startTransition(measure);
    element.addEventListener('scroll', measure, { passive: true });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => {
      element.removeEventListener('scroll', measure);
      observer.disconnect();
    };
  }, [scroller, count]);
  const rendered = new Set<number>([kept]);
  const end = Math.min(count, seen.to + BESIDE);
  for (let index = Math.max(0, seen.from - BESIDE); index < end; index++) rendered.add(index);
  return {
    rendered: [...rendered].filter((index) => index < count).sort((a, b) => a - b),
    isWide: seen.isWide,
    isSeen: (index) => index >= seen.from && index < seen.to,
  };
}

function windowOf(element: HTMLElement, count: number): Window {
  const style = getComputedStyle(element);
  const width = parseFloat(style.getPropertyValue('--column'));
  const room = element.clientWidth - parseFloat(style.getPropertyValue('--clock'));
  if (count * width <= room) return { from: 0, to: count, isWide: false };
  // Right to left it counts down from 0.
  const start = Math.abs(element.scrollLeft);
  const to = Math.min(count, Math.ceil((start + room) / width));
  return { from: Math.floor(start / width), to, isWide: true };
}
