import type { Tx } from '../db/database.ts';
import { newId } from '../ids/uuid.ts';
import * as sql from './sql.ts';

export async function add(tx: Tx, now: number, spaceId: string, url: string): Promise<string> {
  const id = newId();
  await tx.run(sql.insertCalendar, [id, spaceId, url, now]);
  return id;
}
