// The two queues of a subscription. Each condition is that of an index, word for word: SQLite uses it for nothing else.

/** Deliveries that nobody has taken yet: first attempts. */
export function first(table = 'deliveries'): string {
  return `${table}.status = 'pending' and ${table}.attempts = 0 and ${table}.lease_token is null`;
}

/** All others that are pending: those to be tried again, and, due when their lease ends, those in a worker's hands. */
export function again(table = 'deliveries'): string {
  return `${table}.status = 'pending' and (${table}.attempts > 0 or ${table}.lease_token is not null)`;
}
