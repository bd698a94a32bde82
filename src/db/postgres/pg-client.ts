import { Client, type ClientConfig, type Connection } from 'pg';

/** pg's client, and `sslmode=prefer` goes on without encryption where the server has none, as in libpq. */
export class PgClient extends Client {
  constructor(config: ClientConfig) {
    super(config);
    if (/[?&]sslmode=prefer(?:&|$)/.test(config.connectionString ?? '')) preferTls(this);
  }
}

const NO_TLS = 'N';

/** pg gives up when the server answers that it has no TLS. Here that answer is read first. */
function preferTls(client: Client): void {
  const { connection, getStartupConf } = client as unknown as Internals;
  const requestSsl = connection.requestSsl.bind(connection);
  connection.requestSsl = () => {
    const { stream } = connection;
    const judges = stream.listeners('data') as ((answer: Buffer) => void)[];
    stream.removeAllListeners('data');
    stream.once('data', (answer: Buffer) => {
      if (answer.toString() !== NO_TLS) {
        for (const judge of judges) judge.call(stream, answer);
        return;
      }
      connection.attachListeners(stream);
      connection.startup(getStartupConf.call(client));
    });
    requestSsl();
  };
}

/** What pg's types leave out. */
interface Internals {
  readonly connection: Connection & {
    requestSsl(): void;
    attachListeners(stream: Connection['stream']): void;
    startup(config: object): void;
  };
  getStartupConf(): object;
}
