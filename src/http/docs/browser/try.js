/** @typedef {{ key?: string, space_id?: string, token?: string }} Demo */

/**
 * The form that sends a real request to the service that this page comes from.
 * @param {HTMLFormElement} form
 */
export async function tryFrom(form) {
  const base = (document.body.dataset['root'] ?? '').replace(/\/docs$/, '');
  const key = /** @type {HTMLInputElement | null} */ (form.elements.namedItem('key'));
  const body = /** @type {HTMLTextAreaElement | null} */ (form.elements.namedItem('body'));
  const note = /** @type {HTMLElement} */ (form.querySelector('.note'));
  const answer = /** @type {HTMLElement} */ (form.querySelector('.answer'));
  /** @param {string} path @param {RequestInit} [request] */
  const call = (path, request) =>
    fetch(base + path, {
      ...request,
      headers: {
        .../** @type {Record<string, string>} */ (request?.headers),
        ...(key === null ? {} : { authorization: `Bearer ${key.value}` }),
      },
    });

  form.addEventListener('input', () => {
    if (key !== null) sessionStorage.setItem('key', key.value);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send().catch((error) => (note.textContent = String(error.message)));
  });
  // Whoever is quick to send gets the values that are still being looked for.
  let filled = Promise.resolve();
  const send = async () => {
    await filled;
    note.textContent = '';
    const empty = [...form.querySelectorAll('input')].find(
      (field) => field.value === '' && (field === key || field.dataset['in'] === 'path'),
    );
    if (empty !== undefined) {
      empty.focus();
      throw new Error(empty === key ? 'Put in an API key first.' : `Put in ${empty.name} first.`);
    }
    const { path, headers } = requestOf(form);
    const startedAt = performance.now();
    const response = await call(path, {
      method: form.dataset['method'] ?? '',
      headers: { ...headers, ...(body === null ? {} : { 'content-type': 'application/json' }) },
      ...(body === null ? {} : { body: body.value }),
    });
    await showAnswer(answer, response, startedAt);
  };

  if (key !== null) key.value = sessionStorage.getItem('key') ?? '';
  if (document.body.dataset['demo'] !== 'yes') return;
  const demo = /** @type {Demo} */ (await (await fetch(`${base}/docs/demo.json`)).json());
  const fill = async () => put(form, await demoValues(form, demo, call));
  const button = form.querySelector('.demo-key');
  if (button instanceof HTMLElement && key !== null && demo.key !== undefined) {
    const demoKey = demo.key;
    button.hidden = false;
    button.addEventListener('click', () => {
      key.value = demoKey;
      sessionStorage.setItem('key', demoKey);
      filled = fill();
    });
  }
  if (demo.key !== undefined && (key === null || key.value === demo.key)) filled = fill();
}

/**
 * Values of the demo that work: its space, a day that is hardly booked yet, the first booking and the first webhook there are.
 * @param {HTMLFormElement} form
 * @param {Demo} demo
 * @param {(path: string) => Promise<Response>} call
 * @returns {Promise<Record<string, string>>}
 */
async function demoValues(form, demo, call) {
  const day = (/** @type {number} */ days) =>
    new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  /** @param {string} path @param {string} part */
  const firstOf = async (path, part) => (await (await call(path)).json()).data?.[part]?.[0]?.id ?? '';
  const date = day(40 + Math.floor(Math.random() * 300));
  return {
    space_id: demo.space_id ?? '',
    token: demo.token ?? '',
    date,
    month: date.slice(0, 7),
    ...(form.elements.namedItem('booking_id') && {
      booking_id: await firstOf(
        `/api-bookings/api/v1/bookings?status=confirmed&from=${day(3)}&limit=1`,
        'bookings',
      ),
    }),
    ...(form.elements.namedItem('id') && { id: await firstOf('/api-webhooks/api/v1/webhooks', 'webhooks') }),
  };
}

/** @param {HTMLFormElement} form @param {Record<string, string>} values */
function put(form, values) {
  const body = form.elements.namedItem('body');
  const content = body instanceof HTMLTextAreaElement ? JSON.parse(body.value) : {};
  for (const [name, value] of Object.entries(values)) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement && field.value !== '') field.value = value;
    if (name in content) content[name] = value;
  }
  if (body instanceof HTMLTextAreaElement) body.value = JSON.stringify(content, null, 2);
}

/** @param {HTMLFormElement} form */
function requestOf(form) {
  let path = form.dataset['path'] ?? '';
  const query = new URLSearchParams();
  /** @type {Record<string, string>} */
  const headers = {};
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll('[data-in]'))) {
    const { name, value } = field;
    const place = field.dataset['in'];
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== '' && place === 'query') query.set(name, value);
    else if (value !== '') headers[name] = value;
  }
  return { path: query.size === 0 ? path : `${path}?${query}`, headers };
}

/** @param {HTMLElement} place @param {Response} response @param {number} startedAt */
async function showAnswer(place, response, startedAt) {
  const text = await response.text();
  const milliseconds = Math.round(performance.now() - startedAt);
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const status = document.createElement('p');
  status.className = response.ok ? 'good' : 'bad';
  status.textContent = `${response.status} ${response.ok ? 'OK' : ''} in ${milliseconds} ms`;
  const headers = document.createElement('details');
  const summary = document.createElement('summary');
  summary.textContent = 'Headers';
  headers.append(summary, block([...response.headers].map((header) => header.join(': ')).join('\n')));
  place.replaceChildren(status, headers, block(isJson ? JSON.stringify(JSON.parse(text), null, 2) : text));
  place.scrollIntoView({ block: 'nearest' });
}

/** @param {string} text */
function block(text) {
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  pre.textContent = text;
  return pre;
}
