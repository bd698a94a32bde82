import { hourRange } from '../format.ts';

/** 10:00–12:00: from left to right in every script, and never broken. */
export function HourRange(range: { start_hour: number; end_hour: number }) {
  return (
    <bdi dir="ltr" className="nowrap">
      {hourRange(range)}
    </bdi>
  );
}
