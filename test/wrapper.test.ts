import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { makeFolder } from './support/process.ts';

// deploy/hourkeep, which operators have as /usr/local/bin/hourkeep: run with this machine's names, in front of a program
// that only shows what it was given.

const ROOT = join(import.meta.dirname, '..');
const folder = makeFolder();
after(() => folder.remove());
const envFile = join(folder.path, 'hourkeep.env');
const program = join(folder.path, 'program');
const wrapper = join(folder.path, 'hourkeep');
writeScript(program, '#!/bin/sh\nfor argument; do printf "argument %s\\n" "$argument"; done\numask\nenv\n');
writeScript(wrapper, wrapperFor(userInfo().username));

function wrapperFor(user: string): string {
  return readFileSync(join(ROOT, 'deploy/hourkeep'), 'utf8')
    .replace('user=hourkeep', `user=${user}`)
    .replaceAll('/etc/hourkeep/hourkeep.env', envFile)
    .replaceAll('/opt/hourkeep/bin/hourkeep', program);
}

function writeScript(file: string, text: string): void {
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}

function runWrapper(settings: string, args: string[] = [], environment: Record<string, string> = {}) {
  writeFileSync(envFile, settings);
  const env = { PATH: process.env['PATH'] ?? '', ...environment };
  return spawnSync(wrapper, args, { encoding: 'utf8', env });
}

/** What the program sees of a file's one setting. */
function valueOf(settings: string): string | undefined {
  const { stdout, stderr } = runWrapper(settings);
  assert.equal(stderr, '');
  return /^NAME=(.*)$/m.exec(stdout)?.[1];
}

/** Part of systemd. Reads files as EnvironmentFile= does, but that it expands $ and leaves out empty values. */
const GENERATOR = '/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator';
if (!existsSync(GENERATOR)) {
  process.stderr.write(
    'deploy: systemd is not installed; its reading of hourkeep.env was NOT COMPARED in this run\n',
  );
}

function systemdsValueOf(settings: string): string {
  const config = join(folder.path, 'environment.d');
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'x.conf'), settings);
  const env = { XDG_CONFIG_HOME: folder.path, HOME: folder.path };
  // What it prints is for shells.
  const script = `${execFileSync(GENERATOR, { encoding: 'utf8', env })}\nprintf %s "$NAME"`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' });
}

describe('the wrapper reads hourkeep.env as systemd does:', () => {
  const files: [what: string, settings: string, value: string][] = [
    ['a plain value', 'NAME=value', 'value'],
    ['an empty value', 'NAME=', ''],
    ['a value with spaces inside', 'NAME=a b  c', 'a b  c'],
    ['spaces around', '  NAME = value \t', 'value'],
    ['double quotes', 'NAME="  a b "', '  a b '],
    ['single quotes', "NAME='  a b '", '  a b '],
    ['a quote in the other kind of quotes', `NAME="it's"`, "it's"],
    ['empty quotes', 'NAME=""', ''],
    ['a # that belongs to a value', 'NAME=a#b # c', 'a#b # c'],
    ['a # in quotes', 'NAME="a # b"', 'a # b'],
    ['= in a value', 'NAME=postgres://u:p@h/d?a=b&c=d', 'postgres://u:p@h/d?a=b&c=d'],
    ['characters of shells', 'NAME=`id`;*&|<>(!)~', '`id`;*&|<>(!)~'],
    ['comments and empty lines', '# NAME=no\n; NAME=no\n\n \nNAME=value\n  # NAME=no', 'value'],
    ['the last of two', 'NAME=first\nNAME=second\n', 'second'],
    ['lines of Windows', 'NAME=value\r\nOTHER=x\r\n', 'value'],
  ];
  for (const [what, settings, value] of files) {
    test(what, () => {
      assert.equal(valueOf(settings), value);
      if (existsSync(GENERATOR) && value !== '') assert.equal(systemdsValueOf(settings), value);
    });
  }

  test('and expands nothing', () => assert.equal(valueOf('NAME=a$HOME$(id)'), 'a$HOME$(id)'));

  const refused: [what: string, line: string, message: string][] = [
    ['a line that is no setting', 'NAME', 'not NAME=value'],
    ['a name that is none', 'A-B=1', 'not the name of a setting'],
    ['a backslash', 'NAME=a\\nb', 'a backslash is not supported here'],
    ['quotes in the middle', 'NAME=a"b"', 'a quote inside a value is not supported here'],
    ['a quote that is not closed', 'NAME="a', 'a quote inside a value is not supported here'],
    ['two quoted parts', 'NAME="a" "b"', 'a quote inside quotes is not supported here'],
  ];
  for (const [what, line, message] of refused) {
    test(`it refuses ${what} instead of guessing`, () => {
      const { status, stderr, stdout } = runWrapper(`GOOD=1\n${line}\n`);
      assert.equal(stderr, `hourkeep: ${envFile}, line 2: ${message}\n`);
      assert.equal(status, 1);
      assert.equal(stdout, '', 'the program did not run');
    });
  }
});

describe('the wrapper', () => {
  test('hands on the arguments as they were typed', () => {
    const { stdout } = runWrapper('', ['space', 'update', '--title', 'two  words', '*', '']);
    assert.deepEqual(stdout.split('\n').slice(0, 6), [
      'argument space',
      'argument update',
      'argument --title',
      'argument two  words',
      'argument *',
      'argument ',
    ]);
  });

  test('hands on nothing of the environment that could be a setting', () => {
    const { stdout } = runWrapper('PORT=1', [], {
      DATABASE_URL: 'postgres://elsewhere/',
      PORT: '2',
      TERM: 'vt100',
    });
    assert.doesNotMatch(stdout, /elsewhere/);
    assert.match(stdout, /^PORT=1$/m);
    assert.match(stdout, /^TERM=vt100$/m);
  });

  test('knows the data folder, unless the file names one', () => {
    assert.match(runWrapper('').stdout, /^DATA_DIR=\/var\/lib\/hourkeep$/m);
    assert.match(runWrapper('DATA_DIR=/srv').stdout, /^DATA_DIR=\/srv$/m);
  });

  test('says who typed the command, by sudo or without', () => {
    assert.match(runWrapper('', [], { SUDO_USER: 'ada' }).stdout, /^SUDO_USER=ada$/m);
    assert.match(runWrapper('').stdout, new RegExp(`^SUDO_USER=${userInfo().username}$`, 'm'));
  });

  test('makes files for the service alone', () => assert.match(runWrapper('').stdout, /^0077$/m));

  test('ends as the program ends', () => {
    writeScript(program, '#!/bin/sh\nexit 2\n');
    assert.equal(runWrapper('').status, 2);
  });

  test('says that the file is missing', () => {
    execFileSync('rm', [envFile]);
    const { status, stderr } = spawnSync(wrapper, { encoding: 'utf8' });
    assert.equal(
      stderr,
      `hourkeep: cannot read ${envFile}; the user ${userInfo().username} must be able to\n`,
    );
    assert.equal(status, 1);
  });

  if (userInfo().uid === 0) {
    test('becomes the service’s user', () => {
      writeScript(wrapper, wrapperFor('nobody'));
      writeScript(program, '#!/bin/sh\nid -un\n');
      chmodSync(folder.path, 0o755);
      const { stdout } = runWrapper('');
      assert.equal(stdout, 'nobody\n');
    });

    test('asks for sudo where it cannot become that user', () => {
      writeScript(wrapper, wrapperFor('hourkeep'));
      const { status, stderr } = spawnSync(wrapper, { encoding: 'utf8', uid: 65534, gid: 65534 });
      assert.equal(stderr, "hourkeep: this is the service's own command line: run it with sudo\n");
      assert.equal(status, 1);
    });
  }
});
