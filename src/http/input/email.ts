import { fullFormats } from 'ajv-formats/dist/formats.js';
import { GUEST_TEXT_LENGTHS } from '../../bookings/text-lengths.ts';

const EMAIL = fullFormats.email as RegExp;

/** As the API takes it: what it would refuse in a request must not come into its answers either. */
export function isEmail(text: string): boolean {
  return EMAIL.test(text) && text.length <= GUEST_TEXT_LENGTHS.email;
}
