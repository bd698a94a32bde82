import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { freePort } from './cluster.ts';
import { readAnswers, type RawAnswer } from './raw-connection.ts';
import { TEST_CERTIFICATE, TEST_CERTIFICATE_KEY } from './tls.ts';
import { until } from './until.ts';

const SHIPPED = join(import.meta.dirname, '../../deploy/nginx');

export interface Answer {
  status: number | undefined;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

export interface Request {
  method?: string;
  headers?: Record<string, string>;
  body?: object;
}

export interface Nginx {
  /** Over TLS. */
  ask(path: string, request?: Request): Promise<Answer>;
  /** Bytes as they are, over TLS or not; the first response to them. */
  send(bytes: string, to: 'tls' | 'plain on the port of TLS' | 'plain'): Promise<RawAnswer>;
  /** What nginx says of its configuration. */
  judge(): Promise<string>;
  end(): Promise<void>;
}

/** Servers' programs are often outside the PATH of those who do not run them. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/** The shipped configuration in front of these processes (host and port each); its logs are in the folder. */
export async function startNginx(
  program: string,
  folder: string,
  upstreams: readonly string[],
): Promise<Nginx> {
  const [port, plainPort] = [await freePort(), await freePort()];
  const config = configure(folder, { port, plainPort, upstreams });
  const log = join(folder, 'nginx.log');
  const nginx: ChildProcess = spawn(program, ['-c', config, '-e', log, '-g', 'daemon off;'], {
    stdio: 'ignore',
  });
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 32,
    ca: TEST_CERTIFICATE,
    servername: 'receiver.test',
  });
  const ask = (path: string, { method = 'GET', headers = {}, body }: Request = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const sent = request(
        {
          host: '127.0.0.1',
          port,
          path,
          method,
          headers: { host: 'api.example.com', ...type, ...headers },
          agent,
        },
        (response) => {
          let text = '';
          response.on('data', (chunk) => (text += String(chunk)));
          response.on('end', () =>
            resolve({ status: response.statusCode, headers: response.headers, body: text }),
          );
        },
      );
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  const send: Nginx['send'] = async (bytes, to) => {
    const at = { host: '127.0.0.1', port: to === 'plain' ? plainPort : port };
    const socket =
      to === 'tls' ? connectTls({ ...at, ca: TEST_CERTIFICATE, servername: 'receiver.test' }) : connect(at);
    socket.write(bytes);
    let received = '';
    for await (const chunk of socket) {
      received += String(chunk);
      const [answer] = received.includes('\r\n\r\n') ? readAnswers(received) : [];
      if (answer !== undefined && answer.body.length >= Number(answer.headers['content-length']))
        return answer;
    }
    throw new Error(`no response: ${received}`);
  };
  await until(() => {
    if (nginx.exitCode !== null) throw new Error(readFileSync(log, 'utf8'));
    return ask('/healthz').then(
      () => true,
      () => false,
    );
  });
  return {
    ask,
    send,
    judge: async () =>
      (await promisify(execFile)(program, ['-t', '-c', config, '-e', join(folder, 'test.log')])).stderr,
    end: async () => {
      agent.destroy();
      nginx.kill('SIGTERM');
      await once(nginx, 'exit');
    },
  };
}

/** The example with this machine's ports and folders, inside the least that nginx needs around it. */
function configure(
  folder: string,
  { port, plainPort, upstreams }: { port: number; plainPort: number; upstreams: readonly string[] },
): string {
  writeFileSync(join(folder, 'fullchain.pem'), TEST_CERTIFICATE);
  writeFileSync(join(folder, 'privkey.pem'), TEST_CERTIFICATE_KEY);
  mkdirSync(join(folder, 'temp'));
  const shipped = ['hourkeep.conf', 'upstream.conf'].map((name) => readFileSync(join(SHIPPED, name), 'utf8'));
  // The first server's line for each of ours, the others away.
  const [line = ''] = /^ {4}server 127\.0\.0\.1:\d+.*\n/m.exec(shipped[1]!) ?? [];
  const servers = upstreams.map((upstream) => line.replace(/127\.0\.0\.1:\d+/, upstream)).join('');
  const site = shipped
    .join('')
    .replaceAll('/etc/ssl/hourkeep', folder)
    .replaceAll('/var/log/nginx', folder)
    .replaceAll(/^ +listen \[::\].*\n/gm, '')
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('listen 80', `listen 127.0.0.1:${plainPort}`)
    .replaceAll(/^ {4}server 127\.0\.0\.1:\d+.*\n/gm, '')
    .replace('least_conn;\n', `least_conn;\n${servers}`);
  writeFileSync(join(folder, 'site.conf'), site);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/temp/${name};`)
    .join(' ');
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, `pid ${folder}/pid;\nevents {}\nhttp { ${temporary} include ${folder}/site.conf; }\n`);
  return file;
}
