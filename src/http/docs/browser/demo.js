// Puts values into the form that will work: a space that exists, hours that are free, a key nobody has used.

/** @typedef {{ key?: string, space_id?: string, token?: string }} Demo */
/** @typedef {{ base: string, key: string, demo: Demo }} Account */

/** Beyond whatever the demo holds, so that a day is free unless somebody booked it from here. */
const FREE_FROM_DAYS = 40;
const DAY_MS = 86_400_000;

/**
 * What can be known without asking is always put in; what must be asked for (hours that are free, a booking that can
 * be cancelled, a webhook), only once the demo key is there to ask with.
 * @param {HTMLFormElement} form
 * @param {Account} account
 */
export async function findValues(form, account) {
  const { demo, key } = account;
  const canAsk = key !== '' && key === demo.key;
  const day = FREE_FROM_DAYS + Math.floor(Math.random() * 300);
  /** @type {Record<string, string | number | undefined>} */
  const values = {
    space_id: demo.space_id,
    token: demo.token,
    date: dateIn(day),
    from: dateIn(0),
    to: dateIn(30),
    month: dateIn(0).slice(0, 7),
    idempotency_key: `try-${crypto.randomUUID().slice(0, 8)}`,
  };
  if (canAsk && hasField(form, 'start_hour')) Object.assign(values, await freeHours(account, day));
  if (canAsk && hasField(form, 'booking_id')) values['booking_id'] = await bookingToCancel(account);
  if (canAsk && hasField(form, 'id')) values['id'] = await webhook(account);
  put(form, values);
}

/** @param {number} days */
function dateIn(days) {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}

/** @param {HTMLFormElement} form @param {string} name */
function hasField(form, name) {
  return form.elements.namedItem(name) !== null || name in bodyOf(form);
}

/** @param {HTMLFormElement} form @returns {Record<string, unknown>} */
function bodyOf(form) {
  const body = form.elements.namedItem('body');
  try {
    return body instanceof HTMLTextAreaElement ? JSON.parse(body.value) : {};
  } catch {
    return {};
  }
}

/** @param {HTMLFormElement} form @param {Record<string, string | number | undefined>} values */
function put(form, values) {
  const body = form.elements.namedItem('body');
  const content = bodyOf(form);
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement) field.value = String(value);
    if (name in content) content[name] = value;
  }
  if (body instanceof HTMLTextAreaElement) body.value = JSON.stringify(content, null, 2);
}

/** @param {Account} account @param {number} day */
async function freeHours(account, day) {
  for (let tries = 0; tries < 5; tries++) {
    const date = dateIn(day + tries);
    const path = `/api-availability/api/v1/spaces/${account.demo.space_id}/availability?date=${date}`;
    const { slots } = await ask(account, 'GET', path);
    const free = new Set(
      slots.flatMap((/** @type {{ hour: number, available: boolean }} */ slot) =>
        slot.available ? slot.hour : [],
      ),
    );
    const start = [10, 12, 14, 16, 18].find((hour) => free.has(hour) && free.has(hour + 1));
    if (start !== undefined) return { date, start_hour: start, end_hour: start + 2 };
  }
  return {};
}

/** The first that lies ahead; one is made where there is none. @param {Account} account */
async function bookingToCancel(account) {
  const path = `/api-bookings/api/v1/bookings?status=confirmed&from=${dateIn(2)}&limit=1`;
  const { bookings } = await ask(account, 'GET', path);
  if (bookings.length > 0) return bookings[0].id;
  const hours = await freeHours(account, FREE_FROM_DAYS);
  const guest = { guest_name: 'Ada Miller', guest_email: 'ada@example.com' };
  const body = { space_id: account.demo.space_id, ...hours, ...guest };
  return (await ask(account, 'POST', '/api-create-booking/api/v1/bookings', body)).booking.id;
}

/** The first there is; one that leads nowhere is made where there is none. @param {Account} account */
async function webhook(account) {
  const path = '/api-webhooks/api/v1/webhooks';
  const { webhooks } = await ask(account, 'GET', path);
  if (webhooks.length > 0) return webhooks[0].id;
  const body = { url: 'https://receiver.invalid/', events: ['booking.created'] };
  return (await ask(account, 'POST', path, body)).webhook.id;
}

/**
 * @param {Account} account
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 */
async function ask({ base, key }, method, path, body) {
  const answer = await fetch(base + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { data, error } = await answer.json();
  if (error !== undefined) throw new Error(`Could not prepare this request: ${error.message}`);
  return data;
}
