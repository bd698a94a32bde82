import { write } from '../db/database.ts';

export const insertBlock = write(`
  insert into blocks (id, space_id, reason, created_at) values ($1, $2, $3, $4)`);
