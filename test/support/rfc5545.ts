import assert from 'node:assert/strict';

export interface StrictEvent {
  uid: string;
  sequence: number;
  summary: string;
  /** Epoch milliseconds. */
  start: number;
  end: number;
  stamp: number;
  lastModified: number;
}

export interface StrictCalendar {
  name: string;
  properties: Map<string, string>;
  events: StrictEvent[];
}

/**
 * A reader of our own that forgives nothing: where RFC 5545 says MUST, this asserts. It shares no code with the
 * library that writes the feed nor with the one that reads external calendars.
 */
export function readStrictly(bytes: Uint8Array): StrictCalendar {
  const lines = unfold(bytes).map(parseLine);
  assert.deepEqual(lines.at(0), { name: 'BEGIN', params: '', value: 'VCALENDAR' });
  assert.deepEqual(lines.at(-1), { name: 'END', params: '', value: 'VCALENDAR' });
  const properties = new Map<string, string>();
  const events: StrictEvent[] = [];
  let event: Map<string, string> | undefined;
  for (const { name, params, value } of lines.slice(1, -1)) {
    if (name === 'BEGIN') {
      assert.equal(value, 'VEVENT');
      assert.equal(event, undefined, 'events do not nest');
      event = new Map();
    } else if (name === 'END') {
      assert.equal(value, 'VEVENT');
      assert.ok(event !== undefined, 'an END needs its BEGIN');
      events.push(toEvent(event));
      event = undefined;
    } else {
      if (event === undefined) assert.equal(events.length, 0, `${name} stands behind the components`);
      const target = event ?? properties;
      assert.ok(!target.has(name), `${name} stands there twice`);
      assert.equal(params, name === 'REFRESH-INTERVAL' ? 'VALUE=DURATION' : '', `parameters of ${name}`);
      target.set(name, value);
    }
  }
  assert.equal(event, undefined);
  assert.equal(properties.get('VERSION'), '2.0');
  assert.match(properties.get('PRODID') ?? '', /^-\/\/[^/]+\/\/[^/]+\/\/EN$/);
  assert.equal(new Set(events.map((each) => each.uid)).size, events.length, 'a UID stands there twice');
  return { name: text(properties.get('X-WR-CALNAME')), properties, events };
}

/** Content lines from octets: CRLF and nothing else ends a line, and no line is longer than 75 octets. */
function unfold(bytes: Uint8Array): string[] {
  const buffer = Buffer.from(bytes);
  assert.equal(buffer.subarray(-2).toString('latin1'), '\r\n', 'the last line has no end');
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const lines: string[] = [];
  for (const line of buffer.subarray(0, -2).toString('latin1').split('\r\n')) {
    assert.ok(line.length > 0 && line.length <= 75, `a line of ${line.length} octets`);
    const content = utf8.decode(Buffer.from(line, 'latin1'));
    // HTAB is the one control character that a value may hold; a bare CR or LF is found here too.
    assert.doesNotMatch(content, /[^\P{Cc}\t]/u);
    if (content.startsWith(' ')) lines.push(lines.pop()! + content.slice(1));
    else lines.push(content);
  }
  return lines;
}

function parseLine(line: string): { name: string; params: string; value: string } {
  const match = /^([A-Z0-9-]+)((?:;[A-Z0-9-]+=(?:"[^"]*"|[^":;,]*))*):(.*)$/u.exec(line);
  assert.ok(match !== null, `not a content line: ${line}`);
  return { name: match[1]!, params: match[2]!.slice(1), value: match[3]! };
}

function toEvent(event: Map<string, string>): StrictEvent {
  const start = instant(event.get('DTSTART'));
  const end = instant(event.get('DTEND'));
  assert.ok(end > start, 'an event ends after it starts');
  assert.equal(event.get('STATUS'), 'CONFIRMED');
  assert.equal(event.get('TRANSP'), 'OPAQUE');
  assert.match(event.get('SEQUENCE') ?? '', /^\d+$/);
  return {
    uid: text(event.get('UID')),
    sequence: Number(event.get('SEQUENCE')),
    summary: text(event.get('SUMMARY')),
    start,
    end,
    stamp: instant(event.get('DTSTAMP')),
    lastModified: instant(event.get('LAST-MODIFIED')),
  };
}

/** The UTC form of DATE-TIME, and a moment that exists. */
function instant(value: string | undefined): number {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(value ?? '');
  assert.ok(match !== null, `not an instant in UTC: ${value}`);
  const [, year, month, day, hour, minute, second] = match;
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  assert.equal(new Date(iso).toISOString(), iso);
  return Date.parse(iso);
}

/** TEXT: backslash, semicolon and comma never bare, nothing escaped that has no escape. */
function text(value: string | undefined): string {
  assert.ok(value !== undefined, 'a text is missing');
  assert.match(value, /^(?:[^\\;,]|\\[\\;,nN])*$/u);
  return value.replaceAll(/\\(.)/gu, (_, char: string) => (char.toLowerCase() === 'n' ? '\n' : char));
}
