/** How long what a guest says of themselves may be, whoever enters it. */
export const GUEST_TEXT_LENGTHS = { email: 254, name: 200, phone: 40 };
