import type { Step } from './generator.ts';
import type { Setting } from './play.ts';
import { withReferences } from './references.ts';

/** Lines for a shell: requests by curl, commands by hourkeep. A value of an earlier step is taken from its result with jq. */
export function asCurl(steps: readonly Step[]): string[] {
  return steps.flatMap(({ at, now, operation, fault }) => {
    const when = `# ${new Date(now).toISOString()}${fault === undefined ? '' : ` ${JSON.stringify(fault)}`}`;
    switch (operation.kind) {
      case 'request': {
        const headers = Object.entries(operation.headers).map(
          ([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`,
        );
        const body = operation.body === null ? '' : ` --data-raw ${quoted(operation.body)}`;
        const head = operation.method === 'HEAD' ? ' -I' : ` -X ${operation.method}`;
        return [
          when,
          `S${at}=$(curl -s${head} "$HOURKEEP_URL"${quoted(operation.path)}${headers.join('')}${body}); echo "$S${at}"`,
        ];
      }
      case 'command':
        return [when, `S${at}=$(hourkeep ${operation.argv.map(quoted).join(' ')} --json); echo "$S${at}"`];
      case 'clock':
        return [when, '# the worker does what is due'];
      case 'receiver':
        return [
          `# ${operation.url} responds with ${operation.status}${operation.retryAfter === undefined ? '' : `, Retry-After ${operation.retryAfter}`}`,
        ];
      case 'calendar':
        break;
    }
    return [`# ${operation.url} serves ${JSON.stringify(operation.serves)}`];
  });
}

function quoted(text: string): string {
  if (/^[\w./:@,=-]+$/.test(text)) return text;
  const escaped = text.replaceAll(/["\\$`]/g, '\\$&');
  return `"${withReferences(escaped.replaceAll('\\{\\{', '{{'), (at, path, parameter) => {
    const value = `jq -r '.${path.replaceAll(/\.(\d+)/g, '[$1]')}' <<<"$S${at}"`;
    return parameter === undefined ? `$(${value})` : `$(${value} | sed 's/.*[?&]${parameter}=//;s/&.*//')`;
  })}"`;
}

/** A test to paste into simulate.test.ts. */
export function asTest({ settings, seed }: Setting, steps: readonly Step[]): string[] {
  return [
    `test('TODO: what must hold', () =>`,
    `  assertAgrees({ settings: ${JSON.stringify(settings)}, seed: ${seed} }, [`,
    ...steps.map((step) => `    ${JSON.stringify(step)},`),
    `  ]));`,
  ];
}
