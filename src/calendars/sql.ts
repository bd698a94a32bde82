import { write } from '../db/database.ts';

export const insertCalendar = write(`
  insert into calendars (id, space_id, url, created_at) values ($1, $2, $3, $4)`);
