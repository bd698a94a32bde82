import type { QueryConfig, QueryResult } from 'pg';
import { refuseBroken, type Read, type SchemaTx, type SqlValue, type Write } from '../db/database.ts';
import { prepared, LOCK, TRY_LOCK } from '../db/postgres/transaction.ts';

/** A transaction that is open on a connection of one's own, for what the rest of the house does in one. */
export function onClient(send: (config: QueryConfig) => Promise<QueryResult>): SchemaTx {
  const all = async <Row>(statement: Read<Row> | Write<Row>, values: readonly SqlValue[] = []) =>
    (await send(prepared(statement, values))).rows as Row[];
  const tx: SchemaTx = {
    all,
    get: async (statement, values) => (await all(statement, values))[0],
    run: async (statement, values = []) => (await send(prepared(statement, values))).rowCount ?? 0,
    script: async (text) => {
      await send({ text });
    },
    lock: async (name) => {
      await send(prepared(LOCK, [name]));
    },
    tryLock: async (names) => (await all(TRY_LOCK, [JSON.stringify(names)])).map(({ name }) => name),
    require: (...conditions) => refuseBroken(tx, conditions),
    notify: () => undefined,
  };
  return tx;
}
