import { clockOff } from '../clock.ts';
import { useStore } from '../store.ts';
import { strings } from '../strings.ts';

/** Says that this machine's clock is wrong; the console goes by the service's. */
export function ClockNote() {
  const off = useStore(clockOff);
  if (off === 0) return null;
  const minutes = Math.round(Math.abs(off) / 60_000);
  return (
    <p role="status" className="note">
      {off > 0 ? strings.clock.behind(minutes) : strings.clock.ahead(minutes)}
    </p>
  );
}
