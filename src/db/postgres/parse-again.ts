import type { PoolClient } from 'pg';

/**
 * Before a statement is parsed again under the same name, closes it. The first parse has failed then, say because the
 * statement before it in the transaction did. PostgreSQL has forgotten the name, and closing it does nothing. PgBouncer
 * remembers it, and would end the connection: "prepared statement name is already in use".
 */
export function closeBeforeParsingAgain({ connection }: PoolClient): void {
  const sent = new Set<string>();
  const parse = connection.parse.bind(connection);
  connection.parse = (statement, more) => {
    const { name } = statement;
    if (name && sent.has(name)) connection.close({ type: 'S', name }, more);
    sent.add(name);
    parse(statement, more);
  };
}
