import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { notTested } from '../support/own-server.ts';
import { newSecret, signedHeaders } from '../../src/webhooks/signature.ts';

// The functions in docs/guides/verify-webhooks.md, each run in its own language with deliveries signed as the worker signs them.

interface Language {
  name: string;
  /** As the code block is marked. */
  block: string;
  /** The documented function is in the file that is called verify. */
  run: [command: string, ...args: string[]];
  /** Reads {secret, headers, body} from standard input and prints the event's type, or fails. */
  harness: string;
}

const LANGUAGES: readonly Language[] = [
  {
    name: 'Node',
    block: 'js',
    run: [process.execPath, 'verify.mjs'],
    harness: `
import { readFileSync } from 'node:fs';
const { secret, headers, body } = JSON.parse(readFileSync(0, 'utf8'));
process.stdout.write(verify(secret, headers, body).type);`,
  },
  {
    name: 'Python',
    block: 'python',
    run: ['python3', 'verify.py'],
    harness: `
import sys
given = json.load(sys.stdin)
sys.stdout.write(verify(given["secret"], given["headers"], given["body"].encode())["type"])`,
  },
  {
    name: 'PHP',
    block: 'php',
    run: ['php', 'verify.php'],
    harness: `
$given = json_decode(file_get_contents('php://stdin'), true);
echo verify($given['secret'], $given['headers'], $given['body'])['type'];`,
  },
  {
    name: 'Go',
    block: 'go',
    run: ['go', 'run', 'verify.go', 'main.go'],
    harness: '',
  },
  {
    name: 'Ruby',
    block: 'ruby',
    run: ['ruby', 'verify.rb'],
    harness: `
given = JSON.parse($stdin.read)
print verify(*given.values_at("secret", "headers", "body"))["type"]`,
  },
];

const GO_MAIN = `package main
import ("encoding/json"; "fmt"; "net/http"; "os")
func main() {
	var given struct { Secret string; Headers map[string]string; Body string }
	if json.NewDecoder(os.Stdin).Decode(&given) != nil { os.Exit(1) }
	header := http.Header{}
	for name, value := range given.Headers { header.Set(name, value) }
	if err := Verify(given.Secret, header, []byte(given.Body)); err != nil {
		fmt.Fprint(os.Stderr, err)
		os.Exit(1)
	}
	var event struct { Type string }
	if json.Unmarshal([]byte(given.Body), &event) != nil { os.Exit(1) }
	fmt.Print(event.Type)
}`;

const PAGE = readFileSync(new URL('../../docs/guides/verify-webhooks.md', import.meta.url), 'utf8');

const isInstalled = ({ run: [command] }: Language) => spawnSync(command, ['--version']).error === undefined;
const missing = LANGUAGES.filter((language) => !isInstalled(language)).map(({ name }) => name);
if (missing.length > 0)
  notTested(
    `snippets of verify-webhooks.md in ${missing.join(', ')} (Debian: apt-get install php-cli ruby golang python3)`,
  );
test('every language is there to be tested, in CI', () => {
  if (process.env['CI'] === 'true') assert.deepEqual(missing, []);
});

for (const language of LANGUAGES.filter(isInstalled)) {
  describe(`verification in ${language.name}, as documented`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'hourkeep-snippet-'));
    after(() => rmSync(folder, { recursive: true }));
    const section = PAGE.split(/^##+ /m).find((text) => text.startsWith(`${language.name}\n`));
    const code = new RegExp(`\`\`\`${language.block}\\n([^]*?)\`\`\``).exec(section!)?.[1];
    const file = language.run.find((arg) => arg.startsWith('verify.'))!;
    writeFileSync(join(folder, file), `${code}\n${language.harness}\n`);
    if (language.name === 'Go') writeFileSync(join(folder, 'main.go'), GO_MAIN);

    const run = (given: { secret: string; headers: object; body: string }) => {
      const [command, ...args] = language.run;
      return spawnSync(command, args, { cwd: folder, input: JSON.stringify(given), encoding: 'utf8' });
    };
    const verify = (given: Parameters<typeof run>[0]) => {
      const { status, stdout } = run(given);
      return status === 0 ? stdout : 'refused';
    };
    const secret = newSecret();
    const body = '{"id":"a","type":"booking.created","data":{"guest_name":"Zoë 한강"}}';
    const headers = signedHeaders([newSecret(), secret], 'a', Date.now(), body);

    test('accepts a delivery, also with a second signature beside its own', () => {
      assert.equal(verify({ secret, headers, body }), 'booking.created');
    });

    test('finds the headers however their names are spelt', () => {
      const spelt = (spell: (name: string) => string) =>
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [spell(name), value]));
      const titled = spelt((name) => name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()));
      assert.deepEqual(Object.keys(titled), ['Webhook-Id', 'Webhook-Timestamp', 'Webhook-Signature']);
      assert.equal(verify({ secret, headers: titled, body }), 'booking.created');
      assert.equal(verify({ secret, headers: spelt((name) => name.toUpperCase()), body }), 'booking.created');
    });

    test('names the header that is missing', () => {
      for (const name of Object.keys(headers)) {
        const rest = Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));
        const { status, stdout, stderr } = run({ secret, headers: rest, body });
        assert.notEqual(status, 0);
        assert.match(stdout + stderr, new RegExp(`\\b${name} is missing`));
      }
    });

    test('refuses another body, another id, an old one, and one signed by somebody else', () => {
      const old = signedHeaders([secret], 'a', Date.now() - 600_000, body);
      const forged = { ...headers, 'webhook-signature': 'v1,AAAA v2,BBBB x' };
      assert.equal(verify({ secret, headers, body: body.replace('created', 'cancelled') }), 'refused');
      assert.equal(verify({ secret, headers: { ...headers, 'webhook-id': 'b' }, body }), 'refused');
      assert.equal(verify({ secret, headers: old, body }), 'refused');
      assert.equal(verify({ secret: newSecret(), headers, body }), 'refused');
      assert.equal(verify({ secret, headers: forged, body }), 'refused');
    });
  });
}
