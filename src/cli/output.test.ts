import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listed, note, print, printCsv, printJson, streams, table, toJson, visible } from './output.ts';

const C0 = Array.from({ length: 0x20 }, (_, code) => code);
const C1 = Array.from({ length: 0x21 }, (_, at) => 0x7f + at);
const DIRECTIONS = [0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069];
const ESCAPED = [...C0, ...C1, ...DIRECTIONS];

/** What a function writes to standard output or standard error. */
function written(stream: keyof typeof streams, write: () => void): string {
  const before = streams[stream];
  let text = '';
  streams[stream] = { write: (more) => (text += more) };
  write();
  streams[stream] = before;
  return text;
}

describe('a text that is printed for people', () => {
  test('shows a character that a terminal would obey as its code, without leading zeros', () => {
    for (const code of ESCAPED)
      assert.equal(visible(`a${String.fromCodePoint(code)}b`), `a\\u{${code.toString(16)}}b`);
    assert.equal(visible('\u001b]0;owned\u0007\t\r\n'), '\\u{1b}]0;owned\\u{7}\\u{9}\\u{d}\\u{a}');
  });

  test('shows every other character as it is', () => {
    const kept = [0x20, 0x7e, 0xa0, 0xad, 0x200b, 0x200f, 0x2028, 0x2029, 0x202f, 0x2065, 0x206a, 0x1f469];
    for (const code of kept)
      assert.equal(visible(String.fromCodePoint(code)), String.fromCodePoint(code), code.toString(16));
    assert.equal(visible('Zoë — 김 👩‍👩‍👧 \\u{1b}'), 'Zoë — 김 👩‍👩‍👧 \\u{1b}');
  });

  test('stays on its line, whichever function prints it', () => {
    const hostile = 'Ada\nBob\u001b[2J';
    const shown = 'Ada\\u{a}Bob\\u{1b}[2J';
    assert.equal(
      written('out', () => print(hostile)),
      `${shown}\n`,
    );
    assert.equal(
      written('out', () => print(['', hostile])),
      `\n${shown}\n`,
    );
    assert.equal(
      written('err', () => note(['one', hostile])),
      `one\n${shown}\n`,
    );
  });
});

describe('JSON that is printed', () => {
  test('escapes control characters and marks of direction as JSON does, and means the same', () => {
    for (const code of ESCAPED) {
      const value = { [`k${String.fromCodePoint(code)}`]: String.fromCodePoint(code) };
      for (const indent of [undefined, 2]) {
        const json = toJson(value, indent);
        assert.equal(visible(json.replaceAll('\n', '')), json.replaceAll('\n', ''), code.toString(16));
        assert.deepEqual(JSON.parse(json), value);
      }
    }
    assert.equal(toJson('\n\u001b\u007f\u009b\u202e\ud800ü'), '"\\n\\u001b\\u007f\\u009b\\u202e\\ud800ü"');
  });

  test('keeps its line breaks between values', () => {
    assert.equal(
      written('out', () => printJson({ name: 'Ada\u009b\n' })),
      '{\n  "name": "Ada\\u009b\\n"\n}\n',
    );
  });
});

describe('a table', () => {
  const COLUMNS = [
    ['NAME', (row: string) => row],
    ['LENGTH', (row: string) => String(row.length)],
  ] as const;

  test('has columns as wide as the widest value as it is shown', () => {
    assert.deepEqual(table(['Ada', '\u001b', '김수'], COLUMNS, ''), [
      'NAME    LENGTH',
      'Ada     3',
      '\\u{1b}  1',
      '김수    2',
    ]);
  });

  test('has one line a row, whatever a value contains', () => {
    const lines = table(['Ada\r\nBob  7\u2028'], COLUMNS, '');
    assert.deepEqual(lines, ['NAME                  LENGTH', 'Ada\\u{d}\\u{a}Bob  7\u2028  12']);
  });

  test('without rows is a sentence', () => {
    assert.deepEqual(table([], COLUMNS, 'There are none.'), ['There are none.']);
  });
});

test('a list of fields has its values in one column', () => {
  assert.deepEqual(
    listed([
      ['ID', '1'],
      ['Guest name', 'Ada'],
    ]),
    ['ID          1', 'Guest name  Ada'],
  );
});

test('CSV quotes what needs it, and marks as text what a spreadsheet would run', () => {
  const row = ['a,b', 'say "x"', 'two\nlines', '=1+1', ' @x', '-12.50', '-x', '\tx', 'plain'];
  assert.equal(
    written('out', () => void printCsv([], row)),
    `"a,b","say ""x""","two\nlines",'=1+1,' @x,-12.50,'-x,'\tx,plain\n`,
  );
});
