import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { useServing } from '../support/command-line.ts';
import { onOneEngine } from '../support/engines.ts';
import { assertShown } from '../support/examples.ts';

// client/collection.json as Postman's own runner runs it, from top to bottom, against the data of the first minute. The
// runner is fetched for this run: it is 150 packages, which whoever installs the project should not have to wait for.

const COLLECTION = join(import.meta.dirname, '../../client/collection.json');
const RUNNER = 'newman@6.2.2';

interface Report {
  run: {
    executions: {
      item: { name: string; response: { code: number; body: string }[] };
      response?: { code: number; stream: { data: number[] } };
      assertions?: { assertion: string; error?: { message: string } }[];
    }[];
    failures: { error: { message: string } }[];
  };
}

onOneEngine('the collection of requests', (engine) => {
  const serving = useServing(engine);

  test('every request is answered as its example says', async () => {
    const { spaces, keys } = serving.demo;
    const space = spaces.find(
      ({ environment, is_active: active }) => environment === 'production' && active,
    )!;
    const { run, table } = await newman({
      base_url: serving.service.url,
      api_key: keys.production,
      ical_token: space.ical_token,
    });
    process.stdout.write(table);
    assert.deepEqual(
      run.failures.map(({ error }) => error.message),
      [],
    );
    assert.equal(run.executions.length, countRequests());
    for (const { item, response } of run.executions) {
      const [example] = item.response;
      assert.equal(response?.code, example?.code, item.name);
      const text = Buffer.from(response!.stream.data).toString();
      if (text.startsWith('{')) assertShown(JSON.parse(text), JSON.parse(example!.body), item.name);
      else assert.equal(text.split('\r\n')[0], example!.body.split('\r\n')[0], item.name);
    }
  });

  async function newman(variables: Record<string, string>): Promise<Report & { table: string }> {
    const report = join(serving.folder.path, 'report.json');
    const values = Object.entries(variables).flatMap(([name, value]) => ['--env-var', `${name}=${value}`]);
    const reporters = ['--reporters', 'cli,json', '--reporter-json-export', report];
    const quiet = ['--color', 'off', '--reporter-cli-no-banner', '--suppress-exit-code'];
    const args = ['exec', '--yes', `--package=${RUNNER}`, '--', 'newman', 'run', COLLECTION];
    const table = await new Promise<string>((resolve, reject) => {
      execFile(
        'npm',
        [...args, ...values, ...reporters, ...quiet],
        { cwd: serving.folder.path },
        (error, stdout, stderr) =>
          error === null ? resolve(stdout) : reject(new Error(`${RUNNER} did not run: ${stderr}`)),
      );
    });
    return { ...(JSON.parse(readFileSync(report, 'utf8')) as Report), table };
  }
});

function countRequests(): number {
  const { item: folders } = JSON.parse(readFileSync(COLLECTION, 'utf8')) as { item: { item: object[] }[] };
  return folders.reduce((sum, { item }) => sum + item.length, 0);
}
