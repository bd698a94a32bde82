import type { Step } from './generator.ts';
import type { Request } from './operation.ts';
import type { Setting } from './play.ts';
import { withReferences } from './references.ts';

/** Lines for a shell: requests by curl, commands by hourkeep. A value of an earlier step is taken from its result with jq. */
export function asCurl(steps: readonly Step[]): string[] {
  return steps.flatMap(({ at, now, operation, fault, beside = [] }) => {
    const when = `# ${new Date(now).toISOString()}${fault === undefined ? '' : ` ${JSON.stringify(fault)}`}`;
    switch (operation.kind) {
      case 'request':
        return [
          when,
          ...beside.map((request) => `${curl(request)} &`),
          `S${at}=$(${curl(operation)}); echo "$S${at}"`,
        ];
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

function curl({ method, path, headers, body }: Request): string {
  const named = Object.entries(headers).map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`);
  const data = body === null ? '' : ` --data-raw ${quoted(body)}`;
  const how = method === 'HEAD' ? '-I' : `-X ${method}`;
  return `curl -s ${how} "$HOURKEEP_URL"${quoted(path)}${named.join('')}${data}`;
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
