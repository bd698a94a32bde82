import { callbackify } from 'node:util';
import type { Client, ClientConfig } from 'pg';
import { PgClient } from './pg-client.ts';
import { CONNECT_TIMEOUT_MS, IS_READ_ONLY, refuseReadOnly, type Servers } from './servers.ts';

/** What the pool makes its connections of. With one server it connects to that, without another round trip. */
export function clientFor(servers: Servers): typeof ImpatientClient {
  if (!servers.areSeveral) return ImpatientClient;
  return class extends ImpatientClient {
    override connect(): Promise<Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<Client> | void {
      const connected = this.#connectToWriter();
      if (callback === undefined) return connected;
      callbackify(() => connected)(callback);
    }

    /** Between the answer of `servers` and this connection the server may have become a standby. */
    async #connectToWriter(): Promise<Client> {
      const url = await servers.writer();
      const { hostname, port } = new URL(url);
      this.host = decodeURIComponent(hostname.replace(/^\[(.*)\]$/, '$1'));
      this.port = Number(port === '' ? 5432 : port);
      // The pool listens for errors only after this.
      this.on('error', () => undefined);
      try {
        await super.connect();
        refuseReadOnly((await this.query(IS_READ_ONLY)).rows);
        if (servers.current !== url) throw new Error('another server takes writes now');
        return this;
      } catch (error) {
        servers.doubt(url);
        this.connection.stream.destroy();
        throw error;
      }
    }
  };
}

/** The pool knows one time limit for waiting and for connecting. Connecting gets a shorter one here. */
class ImpatientClient extends PgClient {
  constructor(config?: ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    // When pg itself gives up, as without a password, it leaves the socket open. A failed start would then end only
    // when the server closes it, a minute later.
    this.connection.on('error', () => this.connection.stream.destroy());
  }
}
