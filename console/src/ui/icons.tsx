import type { Screen } from '../router.ts';

const PATHS: Record<Screen | 'more', string> = {
  today:
    'M12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.1 2.1M16.3 16.3l2.1 2.1M5.6 18.4l2.1-2.1M16.3 7.7l2.1-2.1M12 8.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7',
  calendar: 'M4 6h16v14H4zM4 10h16M8 3v4M16 3v4M8 14h3M8 17h6',
  bookings: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  money: 'M4 20V10M10 20V4M16 20v-7M21 20H3',
  spaces: 'M4 21V9l8-6 8 6v12M9 21v-7h6v7M2 21h20',
  webhooks: 'M4 8h15l-4-4M20 16H5l4 4',
  keys: 'M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8M11 12l8-8M15 8l3 3M18 5l2 2',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
};

export function NavIcon({ screen }: { screen: Screen | 'more' }) {
  return (
    <svg viewBox="0 0 24 24" className="nav-icon" aria-hidden="true">
      <path d={PATHS[screen]} />
    </svg>
  );
}
