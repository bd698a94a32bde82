// What is done to the service and to the model, and what came of it: plain JSON on both sides.

/** A number that the harness gives the service by its settings, and the model by this. */
export interface Settings {
  /** Requests admitted in any 60 seconds; 0: no limit. */
  rateLimit: { production: number; sandbox: number };
  velocity: { max: number; windowMinutes: number };
  /** 0: never. */
  unpaidCancelMinutes: number;
  /** Minor units, where a host has no maximum of its own. */
  bookingMaxValue: number;
  /** Without a slash at the end. */
  publicUrl: string;
  /** The share, 0..1, of the 20 % that each retry adds to its pause. The harness makes the service draw just this. */
  jitter: number;
  /** How long the worker waits before it polls a calendar again that failed once, twice, … in a row: the contract leaves it open. */
  calendarPauses: number[];
}

/** Exactly as sent. `body` is text, so that it can be broken; null: none, and no content type. */
export interface Request {
  kind: 'request';
  method: string;
  /** With its query. */
  path: string;
  /** Names in lower case. `x-request-id` is always given, so that events can be compared whole. */
  headers: Record<string, string>;
  body: string | null;
}

/** The words after `hourkeep`, without `--json`, which the harness adds. Each option is `--name`, `value`, or `--name=value`. */
export interface Command {
  kind: 'command';
  argv: string[];
  /** What `apply -` reads. */
  stdin?: string;
}

/**
 * The clock jumps, at least 10 s, and then the worker does, all at this instant and until nothing is due, in this order: the sandbox's
 * guests, completions, unpaid bookings, closing of months, calendars, deliveries. It does nothing between two of these operations.
 */
export interface Clock {
  kind: 'clock';
}

/** How whatever listens at this URL answers from now on. */
export interface Receiver {
  kind: 'receiver';
  url: string;
  /** 'lost': the connection breaks before a response. */
  status: number | 'lost';
  /** Seconds. */
  retryAfter?: number;
}

/** What this URL serves from now on: busy times of an external calendar, from which `ics()` of `network.ts` makes the text. */
export interface ExternalCalendar {
  kind: 'calendar';
  url: string;
  /** 'broken': text that is no calendar; 'lost': no response; a number: that status. */
  serves: BusyTime[] | 'broken' | 'lost' | number;
}

/** Instants, ISO with Z, or dates (`2027-03-01`, the end exclusive, in the space's zone). */
export interface BusyTime {
  start: string;
  end: string;
}

export type Operation = Request | Command | Clock | Receiver | ExternalCalendar;

/** `body` is parsed where it is JSON, text where it is not, null where there is none. Names of headers are in lower case. */
export interface Response {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** `json` is what `--json` printed, null where nothing. */
export interface Printed {
  exit: number;
  json: unknown;
}

/** As the service stored it, in the form in which it is delivered. */
export interface StoredEvent {
  host_id: string;
  body: {
    id: string;
    type: string;
    timestamp: string;
    api_version: 'v1';
    environment: string;
    request_id: string | null;
    data: unknown;
  };
}

/** One attempt, as its receiver saw it. `body` is the text that was signed; headers are those that begin with `webhook-`. */
export interface Delivery {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** What the harness saw of one operation. Events and deliveries are in any order. */
export interface Actual {
  response?: Response;
  printed?: Printed;
  events: StoredEvent[];
  deliveries: Delivery[];
}

/** `body` undefined: not compared. */
export interface ExpectedResponse {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** What the worker does, in the order that `Clock` promises. What tidies up comes last. */
export const PHASES = [
  'serve-sandbox-guests',
  'complete-bookings',
  'cancel-unpaid-bookings',
  'close-months',
  'import-calendars',
  'deliveries',
  'rest',
] as const;
export type Phase = (typeof PHASES)[number];
