import assert from 'node:assert/strict';
import type { Availability, DayAvailability } from '../../src/availability/schemas.ts';
import type { BlockedDays, BlockedHours, UnblockedDays, UnblockedHours } from '../../src/blocks/schemas.ts';
import type { BookingPage, OneBooking } from '../../src/bookings/schemas.ts';
import type { Earnings } from '../../src/earnings/schemas.ts';
import type { AnyCode, FieldError } from '../../src/errors.ts';
import type { EventType } from '../../src/events/events.ts';
import type { Failure } from '../../src/http/envelope.ts';
import type { Static } from '../../src/http/input/type.ts';
import type { Environment } from '../../src/ids/api-key.ts';
import type { SettlementReport } from '../../src/settlement/schemas.ts';
import type { Space } from '../../src/spaces/schemas.ts';
import type { ChangedSpace, HoursOfDate } from '../../src/webhooks/openapi.ts';
import type { Webhook } from '../../src/webhooks/schemas.ts';

export interface Answer {
  status: number;
  headers: Headers;
  bytes: Buffer;
  text: string;
  /** The JSON of an answer. Undefined where there is none, though the type says otherwise. */
  body: Body;
}

/** One endpoint's answer has a part of this; which part is there, the test knows. */
export interface Body extends Omit<Failure, 'success'> {
  success: boolean;
  data: Data;
  error: Failure['error'] & { details: Details };
}

type Data = Omit<Availability, 'days'> &
  BookingPage &
  Earnings &
  SettlementReport &
  Static<typeof BlockedHours> &
  Static<typeof OneBooking> &
  Static<typeof UnblockedHours> & {
    days: (DayAvailability & BlockedDays['days'][number] & UnblockedDays['days'][number])[];
    space: Space;
    ical_feed_url?: string;
    spaces: Space[];
    webhook: Required<Webhook>;
    webhooks: Webhook[];
  };

/** The fields of a bad request, or the facts of a refusal. */
type Details = [FieldError, ...FieldError[]] & {
  hours: number[];
  days: { date: string; hours: number[] }[];
};

/** The answer is this refusal, in the envelope; the rest of it is for the test to look at. */
export function refused(answer: Answer, status: number, code: AnyCode): Body['error'] {
  assert.equal(answer.status, status, answer.text);
  const { success, error } = answer.body;
  assert.equal(success, false);
  assert.equal(error.code, code);
  assert.equal(error.http_status, status);
  assert.equal(error.request_id, answer.headers.get('x-request-id'));
  return error;
}

/** What a subscriber is sent. */
export interface Delivered {
  id: string;
  type: EventType;
  timestamp: string;
  api_version: 'v1';
  environment: Environment;
  request_id: string | null;
  data: Static<typeof OneBooking> & Static<typeof HoursOfDate> & Static<typeof ChangedSpace>;
}
