import { hash } from 'node:crypto';
import { validationError } from '../errors.ts';
import { parseId } from '../ids/uuid.ts';
import type { BookingFilter } from './schemas.ts';

/** Where a page ended, and a mark of the filters it belongs to. Opaque to callers. */
export function writeCursor(filter: BookingFilter, fields: readonly (string | number)[]): string {
  return Buffer.from([...fields, markOf(filter)].join(' ')).toString('base64url');
}

/** The fields of a cursor, if they have these forms and belong to these filters. */
export function readCursor(cursor: string, filter: BookingFilter, forms: readonly Form[]): string[] {
  const fields = Buffer.from(cursor, 'base64url').toString().split(' ');
  const mark = fields.pop();
  if (fields.length !== forms.length || !fields.every((field, i) => forms[i]!(field))) {
    throw validationError([{ field: 'cursor', message: 'is not one that a page of this list has given' }]);
  }
  if (mark !== markOf(filter)) {
    throw validationError([{ field: 'cursor', message: 'belongs to a list with other filters' }]);
  }
  return fields;
}

type Form = (field: string) => boolean;

export const isWholeNumber: Form = (field) => /^-?\d{1,15}$/.test(field);
export const isId: Form = (field) => parseId(field) === field;

/** Filters that came later count only where they are given, so that cursors from before an upgrade go on. */
function markOf({ space_id, status, from, to, guest, updated_since }: BookingFilter): string {
  const later = guest === undefined && updated_since === undefined ? [] : [guest, updated_since];
  const filters = [space_id?.toLowerCase(), status, from, to, ...later];
  return hash('sha256', JSON.stringify(filters), 'base64url').slice(0, 8);
}
