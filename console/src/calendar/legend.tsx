import { strings } from '../strings.ts';

/** What the patterns mean, and the keys. */
export function Legend({ keys }: { keys: string }) {
  return (
    <div className="legend">
      <ul>
        {strings.calendar.legend.map(([state, words]) => (
          <li key={state}>
            <span className="swatch" data-state={state} aria-hidden="true" />
            {words}
          </li>
        ))}
      </ul>
      <p className="muted keys-hint">{keys}</p>
    </div>
  );
}
