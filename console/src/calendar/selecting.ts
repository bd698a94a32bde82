import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
} from 'react';
import type { Booking } from '@hourkeep/client';
import { blockAround, covers, rangeBetween, type Range, type ShownColumn } from './cells.ts';

/** One cell of the grid. */
export interface Spot {
  readonly column: number;
  readonly hour: number;
}

interface Selecting extends Spot {
  readonly target: number;
}

export interface GridHandlers {
  onKeyDown: (event: KeyboardEvent) => void;
  onFocus: (event: FocusEvent) => void;
  onPointerDown: (event: PointerEvent) => void;
  onPointerOver: (event: PointerEvent) => void;
  onClick: (event: MouseEvent) => void;
}

/** A finger that rests so long on a booking, within so many pixels, takes it up; one that moves at once scrolls. */
const HOLD_MS = 400;
const STILL_PX = 8;

/**
 * Hours are chosen with the mouse (click, or drag down a column), the keyboard (arrows, Shift and arrows, Enter) or
 * by touch (the first hour, then the last one). A booking is dragged to others with the mouse or a finger.
 */
export function useSelecting(options: {
  columns: readonly ShownColumn[];
  initial: Spot;
  /** The keyboard goes on in the grid: it was in the grid of the month. */
  focusAtFirst: boolean;
  open: (column: ShownColumn, range: Range) => void;
  /** A booking was dropped on hours that are not its own. */
  drop: (booking: Booking, column: ShownColumn, range: Range) => void;
  /** Arrow keys beyond the first or last column. */
  page: (by: 1 | -1) => void;
}) {
  const { columns, open, drop, page } = options;
  const table = useRef<HTMLTableElement>(null);
  const [focus, setFocus] = useState<Spot>(options.initial);
  const [selecting, setSelecting] = useState<Selecting>();
  /** The first hour has been tapped, the last one has not. */
  const [tapped, setTapped] = useState<Spot>();
  /** Where a booking that is dragged would be. */
  const [carried, setCarried] = useState<Range & { column: number }>();
  const isCarrying = useRef(false);
  const dragging = useRef<Selecting>(undefined);
  const moveFocus = useRef(options.focusAtFirst);
  const current: Spot = { column: Math.min(focus.column, columns.length - 1), hour: focus.hour };

  // In the very commit that moved it: a later effect might run before it, and find the old place.
  useLayoutEffect(() => {
    if (!moveFocus.current) return;
    moveFocus.current = false;
    table.current?.querySelector<HTMLElement>('td[tabindex="0"]')?.focus();
  });

  // The page must not scroll under a booking. React's own listener comes too late to say so.
  useEffect(() => {
    const stay = (event: Event): void => {
      if (isCarrying.current) event.preventDefault();
    };
    const element = table.current;
    element?.addEventListener('touchmove', stay, { passive: false });
    element?.addEventListener('contextmenu', stay);
    return () => {
      element?.removeEventListener('touchmove', stay);
      element?.removeEventListener('contextmenu', stay);
    };
  }, []);

  const rangeOf = ({ column, hour, target }: Selecting): Range =>
    rangeBetween(columns[column]!.cells, hour, target);

  const openAt = (spot: Selecting): void => {
    const column = columns[spot.column];
    const cell = column?.cells[spot.hour];
    if (column === undefined || cell === undefined || cell.state === 'loading') return;
    // A booking or a block is opened as the whole thing that a person sees.
    const whole = cell.state === 'blocked' && spot.hour === spot.target;
    const { start_hour, end_hour } = whole ? blockAround(column.cells, spot.hour) : rangeOf(spot);
    setTapped(undefined);
    setSelecting({ ...spot, hour: start_hour, target: end_hour - 1 });
    open(column, { start_hour, end_hour });
  };

  const focusOn = (spot: Spot): void => {
    moveFocus.current = true;
    setFocus(spot);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, shiftKey } = event;
    const { column, hour } = spotOf(event.target) ?? current;
    const step = KEYS[isRightToLeft(event.currentTarget) ? (MIRRORED[key] ?? key) : key];
    if (key === 'Enter' || key === ' ') {
      const chosen = selecting?.column === column && covers(rangeOf(selecting), hour);
      openAt(chosen ? selecting : { column, hour, target: hour });
    } else if (key === 'Escape' && selecting !== undefined) {
      clear();
    } else if (key === 'PageUp' || key === 'PageDown') {
      clear();
      moveFocus.current = true;
      page(key === 'PageUp' ? -1 : 1);
    } else if (step !== undefined) {
      const next = { column: column + step.column, hour: Math.min(23, Math.max(0, hour + step.hour)) };
      if (shiftKey && step.column === 0) {
        const anchor = selecting?.column === column ? selecting.hour : hour;
        const range = rangeBetween(columns[column]!.cells, anchor, next.hour);
        const target = next.hour < anchor ? range.start_hour : range.end_hour - 1;
        setSelecting({ column, hour: anchor, target });
        focusOn({ column, hour: target });
      } else {
        clear();
        if (next.column < 0 || next.column >= columns.length) {
          focusOn({ column: next.column < 0 ? columns.length - 1 : 0, hour });
          page(next.column < 0 ? -1 : 1);
        } else focusOn(next);
      }
    } else return;
    event.preventDefault();
  };

  /** Also when something else than these keys brought the focus here. */
  const onFocus = (event: FocusEvent): void => {
    const spot = spotOf(event.target);
    if (spot !== undefined && (spot.column !== focus.column || spot.hour !== focus.hour)) setFocus(spot);
  };

  const onPointerDown = (event: PointerEvent): void => {
    const spot = spotOf(event.target);
    if (spot === undefined || event.button !== 0) return;
    const { booking } = columns[spot.column]!.cells[spot.hour]!;
    if (booking !== undefined) carry(booking, spot, event);
    if (booking !== undefined || event.pointerType === 'touch') return;
    dragging.current = { ...spot, target: spot.hour };
    setFocus(spot);
    setSelecting(dragging.current);
    const end = (): void => {
      const dragged = dragging.current;
      dragging.current = undefined;
      // Without a move it is a click, which says so itself.
      if (dragged !== undefined && dragged.target !== dragged.hour) setTimeout(() => openAt(dragged));
    };
    window.addEventListener('pointerup', end, { once: true });
  };

  const carry = (booking: Booking, from: Spot, start: PointerEvent): void => {
    const isTouch = start.pointerType === 'touch';
    const take = (): void => {
      isCarrying.current = true;
      table.current?.toggleAttribute('data-carrying', true);
    };
    const timer = setTimeout(take, isTouch ? HOLD_MS : 0);
    const length = booking.end_hour - booking.start_hour;
    let to: (Range & { column: number }) | undefined;
    const listening = new AbortController();
    const { signal } = listening;
    const end = (): void => {
      clearTimeout(timer);
      listening.abort();
      isCarrying.current = false;
      table.current?.removeAttribute('data-carrying');
      setCarried(undefined);
    };
    const follow = ({ clientX, clientY }: globalThis.PointerEvent): void => {
      const far = Math.hypot(clientX - start.clientX, clientY - start.clientY) > STILL_PX;
      if (!isCarrying.current && far) end();
      const over = isCarrying.current ? spotOf(document.elementFromPoint(clientX, clientY)) : undefined;
      if (over === undefined) return;
      const first = Math.min(24 - length, Math.max(0, over.hour - from.hour + booking.start_hour));
      const isElsewhere = over.column !== from.column || first !== booking.start_hour;
      to = isElsewhere ? { column: over.column, start_hour: first, end_hour: first + length } : undefined;
      setCarried(to);
    };
    const letGo = (): void => {
      end();
      if (to === undefined) return;
      const { column, ...range } = to;
      // After the click that ends it.
      setTimeout(() => drop(booking, columns[column]!, range));
    };
    window.addEventListener('pointermove', follow, { signal });
    window.addEventListener('pointerup', letGo, { signal });
    window.addEventListener('pointercancel', end, { signal });
    window.addEventListener('keydown', ({ key }) => key === 'Escape' && end(), { signal });
  };

  const onPointerOver = (event: PointerEvent): void => {
    const spot = spotOf(event.target);
    const from = dragging.current;
    if (from === undefined || spot === undefined || spot.column !== from.column) return;
    const range = rangeBetween(columns[from.column]!.cells, from.hour, spot.hour);
    dragging.current = { ...from, target: spot.hour < from.hour ? range.start_hour : range.end_hour - 1 };
    setSelecting(dragging.current);
  };

  const onClick = (event: MouseEvent): void => {
    const spot = spotOf(event.target);
    if (spot === undefined) return;
    setFocus(spot);
    const byTouch = (event.nativeEvent as globalThis.PointerEvent).pointerType === 'touch';
    const state = columns[spot.column]?.cells[spot.hour]?.state;
    if (!byTouch || (state !== 'available' && state !== 'closed')) openAt({ ...spot, target: spot.hour });
    else if (tapped !== undefined && tapped.column === spot.column) openAt({ ...tapped, target: spot.hour });
    else {
      setTapped(spot);
      setSelecting({ ...spot, target: spot.hour });
    }
  };

  const clear = (): void => {
    setSelecting(undefined);
    setTapped(undefined);
  };

  return {
    table,
    focus: current,
    selection: carried ?? (selecting && { column: selecting.column, ...rangeOf(selecting) }),
    tapped,
    openTapped: () => tapped && openAt({ ...tapped, target: tapped.hour }),
    clear,
    handlers: { onKeyDown, onFocus, onPointerDown, onPointerOver, onClick } satisfies GridHandlers,
  };
}

const KEYS: Readonly<Record<string, Spot | undefined>> = {
  ArrowUp: { column: 0, hour: -1 },
  ArrowDown: { column: 0, hour: 1 },
  ArrowLeft: { column: -1, hour: 0 },
  ArrowRight: { column: 1, hour: 0 },
  Home: { column: 0, hour: -24 },
  End: { column: 0, hour: 24 },
};

export const MIRRORED: Readonly<Record<string, string>> = {
  ArrowLeft: 'ArrowRight',
  ArrowRight: 'ArrowLeft',
};

export const isRightToLeft = (element: Element): boolean => getComputedStyle(element).direction === 'rtl';

function spotOf(target: EventTarget | null): Spot | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>('td[data-hour]') : null;
  if (cell === null) return undefined;
  return { column: Number(cell.dataset['column']), hour: Number(cell.dataset['hour']) };
}
