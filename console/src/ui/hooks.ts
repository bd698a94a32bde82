import { useEffect, useState } from 'react';
import { clockOff, rightNow } from '../clock.ts';
import { unseen } from '../news.ts';
import { useStore } from '../store.ts';

/** The time by the service's clock, looked at again every half minute. */
export function useNow(): number {
  const off = useStore(clockOff);
  const [now, setNow] = useState(rightNow());
  useEffect(() => {
    setNow(rightNow());
    const timer = setInterval(() => setNow(rightNow()), 30_000);
    return () => clearInterval(timer);
  }, [off]);
  return now;
}

export const isNarrow = (): boolean => matchMedia('(max-width: 760px)').matches;

export function useTitle(title: string): void {
  const count = useStore(unseen);
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ''}${title} · Hourkeep`;
  }, [title, count]);
}

/** Which elements with `data-seen` inside the container are in sight. */
export function useSeen(
  container: React.RefObject<HTMLElement | null>,
  of: readonly string[],
): ReadonlySet<string> {
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const all = of.join(' ');
  useEffect(() => {
    const root = container.current;
    if (root === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) =>
        setSeen((before) => {
          const next = new Set(before);
          for (const { target, isIntersecting } of entries) {
            const key = (target as HTMLElement).dataset['seen']!;
            if (isIntersecting) next.add(key);
            else next.delete(key);
          }
          return next;
        }),
      { root: getComputedStyle(root).overflowX === 'auto' ? root : null },
    );
    for (const element of root.querySelectorAll('[data-seen]')) observer.observe(element);
    return () => {
      observer.disconnect();
      setSeen(new Set());
    };
  }, [container, all]);
  return seen;
}
