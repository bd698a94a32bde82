/** The greatest lengths of a guest's texts, in the API and on the command line. */
export const GUEST_TEXT_LENGTHS = { email: 254, name: 200, phone: 40 };
export const CANCEL_REASON_LENGTH = 500;
