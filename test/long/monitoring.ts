import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { freePort } from '../support/cluster.ts';
import { useServing } from '../support/command-line.ts';
import { onOneEngine, type Engine } from '../support/engines.ts';
import type { DashboardFile } from '../support/grafana.ts';
import { notTested } from '../support/own-server.ts';
import { startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { WEBHOOKS } from '../support/webhooks.ts';

// deploy/prometheus and deploy/grafana: judged by promtool and by Grafana's own types, and put in front of a real
// Prometheus that scrapes a real service.

const ROOT = join(import.meta.dirname, '../..');
const PROMETHEUS = join(ROOT, 'deploy/prometheus');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const run = promisify(execFile);

interface Rules {
  groups: { rules: { alert: string; expr: string }[] }[];
}
interface UnitTests {
  tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
}
const rules = (parse(read('deploy/prometheus/alerts.yml')) as Rules).groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read('deploy/grafana/hourkeep.json')) as DashboardFile;
/** As Grafana would send them. */
const shown = (dashboard.panels ?? [])
  .flatMap((panel) => ('targets' in panel ? (panel.targets ?? []) : []))
  .map(({ expr }) => String(expr).replaceAll('$__rate_interval', '1m').replaceAll('$job', '.+'));

describe('the dashboard', () => {
  test('is what Grafana’s own types say a dashboard is', async () => {
    // As a literal in a program: a JSON file that is imported has lost the exact texts that its type would have.
    const folder = mkdtempSync(join(ROOT, 'node_modules/.dashboard-'));
    const file = join(folder, 'dashboard.ts');
    const type = `import type { DashboardFile } from '../../test/support/grafana.ts';\n`;
    writeFileSync(file, `${type}export const dashboard: DashboardFile = ${JSON.stringify(dashboard)};\n`);
    const flags =
      '--ignoreConfig --noEmit --strict --skipLibCheck --module nodenext --allowImportingTsExtensions';
    const { stdout } = await run(join(ROOT, 'node_modules/.bin/tsc'), [...flags.split(' '), file], {
      cwd: ROOT,
    }).catch((error: { stdout: string }) => error);
    rmSync(folder, { recursive: true });
    assert.equal(stdout, '');
  });
});

test('every alert has a unit test in which it rings and one in which it does not', () => {
  const { tests } = parse(read('deploy/prometheus/alerts.test.yml')) as UnitTests;
  const cases = tests.flatMap((each) => each.alert_rule_test);
  for (const { alert } of rules) {
    const own = cases.filter(({ alertname }) => alertname === alert);
    assert.ok(
      own.some(({ exp_alerts: expected }) => expected.length > 0),
      `${alert} never rings`,
    );
    assert.ok(
      own.some(({ exp_alerts: expected }) => expected.length === 0),
      `${alert} always rings`,
    );
  }
});

const metricsPort = await freePort();

const isInstalled = spawnSync('promtool', ['--version']).status === 0;
if (!isInstalled)
  notTested('alerts and dashboard (Debian: apt-get install --no-install-recommends prometheus)');
test('Prometheus is there to judge its files, in CI', () => {
  if (process.env['CI'] === 'true') assert.ok(isInstalled);
});

if (isInstalled) {
  describe('promtool', () => {
    test('finds nothing wrong with the alerts', async () => {
      const check = ['check', 'rules', '--lint=all', '--lint-fatal', 'alerts.yml'];
      const { stdout } = await run('promtool', check, { cwd: PROMETHEUS });
      assert.match(stdout, new RegExp(`SUCCESS: ${rules.length} rules found`));
    });

    test('sees them ring and keep silent as their unit tests say', async () => {
      const { stdout } = await run('promtool', ['test', 'rules', 'alerts.test.yml'], { cwd: PROMETHEUS });
      assert.match(stdout, /SUCCESS/);
    });
  });
  onOneEngine('a real Prometheus', beforeARealService);
}

function beforeARealService(engine: Engine): void {
  // Any address of the machine will do, not only the default.
  const where = { METRICS_HOST: '127.0.0.2', METRICS_PORT: String(metricsPort) };
  const serving = useServing(engine, where);
  let prometheus: ChildProcess;
  let api: string;
  let scraped: string;

  before(async () => {
    const receiver = await startReceiver();
    // A delivery that arrives, so that attempts have been measured.
    const id = await subscribe(receiver.url);
    await changeTitle('Renamed once');
    await until(() => receiver.received.length > 0);
    await serving.call('DELETE', `${WEBHOOKS}/${id}`);
    await receiver.close();
    await serving.says('backup', join(serving.folder.path, 'copy.db'));
    scraped = await (await fetch(`http://127.0.0.2:${metricsPort}/metrics`)).text();
    const port = await freePort();
    api = `http://127.0.0.1:${port}/api/v1`;
    prometheus = startPrometheus(serving.folder.path, port, `127.0.0.2:${metricsPort}`);
    const isUp = async () => (await query('up{job="hourkeep"} == 1')).length > 0;
    await until(() => isUp().catch(() => false));
  });
  after(async () => {
    prometheus.kill('SIGTERM');
    await once(prometheus, 'exit');
  });

  async function subscribe(to: string): Promise<string> {
    const body = { url: to, events: ['listing.updated'] };
    const answer = await serving.call('POST', WEBHOOKS, { body });
    assert.equal(answer.status, 201);
    return answer.body.data.webhook.id;
  }
  async function changeTitle(title: string): Promise<void> {
    const path = `/api-listing-update/api/v1/spaces/${serving.demo.spaces[0]!.id}`;
    assert.equal((await serving.call('PATCH', path, { body: { title } })).status, 200);
  }
  async function query(
    expression: string,
  ): Promise<{ metric: Record<string, string>; value: [number, string] }[]> {
    const answer = await fetch(`${api}/query?${new URLSearchParams({ query: expression }).toString()}`);
    const body = (await answer.json()) as { status: string; error?: string; data: { result: never[] } };
    assert.equal(body.status, 'success', `${expression}: ${body.error}`);
    return body.data.result;
  }
  const ringing = async (): Promise<string[]> =>
    (await query('ALERTS{alertstate="firing"}')).map(({ metric }) => metric['alertname']!);

  test('finds every metric that an alert or a panel names', () => {
    const named = new Set([...rules.map(({ expr }) => expr), ...shown].flatMap((expr) => metricsIn(expr)));
    assert.ok(named.size > 15);
    const samples = new Set([...scraped.matchAll(/^([a-z_0-9]+)[{ ]/gm)].map(([, name]) => name));
    assert.deepEqual(
      [...named].filter((name) => !samples.has(name)),
      [],
    );
  });

  test('is served what promtool finds nothing wrong with', () => {
    const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: scraped,
      encoding: 'utf8',
    });
    assert.deepEqual([status, stderr], [0, '']);
  });

  test('finds what docs/metrics.md lists, no more and no less', () => {
    const listed = [...read('docs/metrics.md').matchAll(/^\| `(hourkeep_\w+)`/gm)].map(([, name]) => name!);
    const served = [...scraped.matchAll(/^# TYPE (hourkeep_\w+)/gm)].map(([, name]) => name!);
    assert.deepEqual(listed.sort(), served.sort());
  });

  test('can compute what every panel shows', async () => {
    assert.ok(shown.length > 20);
    for (const expression of shown) await query(expression);
    const [age] = await query(shown[0]!);
    assert.ok(Number(age!.value[1]) < 60, 'the worker has run');
  });

  test('hears an alert go off, and end when its reason is gone', async () => {
    assert.deepEqual(await ringing(), []);
    const receiver = await startReceiver();
    receiver.answer = () => ({ status: 410 });
    const id = await subscribe(receiver.url);
    await changeTitle('Renamed again');
    await until(async () => (await ringing()).includes('HourkeepWebhooksDisabled'));
    await receiver.close();
    await serving.call('PATCH', `${WEBHOOKS}/${id}`, { body: { is_active: true } });
    await until(async () => (await ringing()).length === 0);
  });
}

/** Names of metrics, as opposed to labels, functions and keywords. */
function metricsIn(expression: string): string[] {
  return [...expression.matchAll(/\b(?:hourkeep|process|nodejs)_[a-z_0-9]+/g)].map(([name]) => name);
}

/** With the alerts as they are, only looked at every second. */
function startPrometheus(folder: string, port: number, target: string): ChildProcess {
  copyFileSync(join(PROMETHEUS, 'alerts.yml'), join(folder, 'alerts.yml'));
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['alerts.yml'],
    scrape_configs: [{ job_name: 'hourkeep', static_configs: [{ targets: [target] }] }],
  };
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
  const flags = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'prometheus')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  return spawn('prometheus', flags, { stdio: 'ignore' });
}
