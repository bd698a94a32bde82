import { findValues } from './demo.js';
import { highlight } from './highlight.js';
import { samplesOf } from './samples.js';

/**
 * The form that sends a real request to the service that this page comes from, and keeps the samples true to what is
 * in it.
 * @param {HTMLFormElement} form
 */
export async function tryFrom(form) {
  const base = (document.body.dataset['root'] ?? '').replace(/\/docs$/, '');
  const shownBase = shownAddress();
  const key = /** @type {HTMLInputElement | null} */ (form.elements.namedItem('key'));
  const body = /** @type {HTMLTextAreaElement | null} */ (form.elements.namedItem('body'));
  const note = /** @type {HTMLElement} */ (form.querySelector('.note'));
  const answer = /** @type {HTMLElement} */ (form.querySelector('.answer'));

  const read = () => requestOf(form, body);
  const showSamples = () => {
    const { method, path, parameters, headers, value } = read();
    if (value instanceof Error) return;
    const made = samplesOf({
      operation: form.dataset['operation'] ?? '',
      method,
      base: shownBase,
      path,
      parameters,
      authenticated: key !== null,
      headers,
      body: value,
    });
    for (const { name, language, code } of made) {
      const block = document.querySelector(`.sample[data-name="${name}"] code`);
      if (block !== null) block.innerHTML = highlight(code, language);
    }
  };
  form.addEventListener('input', () => {
    showSamples();
    if (key !== null) sessionStorage.setItem('key', key.value);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  // Whoever is quick to send gets the values that are still being looked for.
  let filled = Promise.resolve();
  const send = async () => {
    await filled;
    note.textContent = '';
    const { method, path, headers, value, missing } = read();
    if (key?.value === '') return complain(note, key, 'Put in an API key first.');
    if (missing !== undefined) return complain(note, missing, `Put in ${missing.name} first.`);
    if (value instanceof Error && body !== null)
      return complain(note, body, `The body is not JSON: ${value.message}`);
    const request = {
      method,
      headers: {
        ...headers,
        ...(key === null ? {} : { authorization: `Bearer ${key.value}` }),
        ...(value === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(value === undefined ? {} : { body: JSON.stringify(value) }),
    };
    const startedAt = performance.now();
    try {
      const response = await fetch(base + path, request);
      await showAnswer(answer, response, startedAt);
    } catch (error) {
      note.textContent = `No answer: ${messageOf(error)}`;
    }
  };

  if (key !== null) key.value = sessionStorage.getItem('key') ?? '';
  const demo = document.body.dataset['demo'] === 'yes' ? await loadDemo() : {};
  const fill = async () => {
    try {
      await findValues(form, { base, key: key?.value ?? '', demo });
      note.textContent = '';
    } catch (error) {
      note.textContent = messageOf(error);
    }
    showSamples();
  };
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
  if (demo.key !== undefined) filled = fill();
}

/** Where clients reach the service, which may be elsewhere than where this page was opened. */
function shownAddress() {
  const sample = document.querySelector('.sample[data-name="curl"] code')?.textContent ?? '';
  const path = document.querySelector('.address code')?.textContent ?? '';
  return sample.split('"')[1]?.split(path.split('{')[0] ?? '')[0] ?? '';
}

/** @returns {Promise<import('./demo.js').Demo>} */
async function loadDemo() {
  const answer = await fetch(`${document.body.dataset['root']}/demo.json`);
  return answer.ok ? answer.json() : {};
}

/**
 * What the form says now.
 * @param {HTMLFormElement} form
 * @param {HTMLTextAreaElement | null} body
 */
function requestOf(form, body) {
  let path = form.dataset['path'] ?? '';
  const query = new URLSearchParams();
  /** @type {Record<string, string>} */
  const parameters = {};
  /** @type {Record<string, string>} */
  const headers = {};
  /** @type {HTMLInputElement | undefined} */
  let missing;
  const fields = /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll('[data-in]'));
  for (const field of fields) {
    const { name, value } = field;
    const place = field.dataset['in'];
    if (value !== '' && place !== 'header') parameters[name] = value;
    if (place === 'path') {
      if (value === '') missing ??= field;
      else path = path.replace(`{${name}}`, encodeURIComponent(value));
    } else if (value !== '' && place === 'query') query.set(name, value);
    else if (value !== '') headers[name] = value;
  }
  const search = query.size === 0 ? '' : `?${query}`;
  const method = form.dataset['method'] ?? '';
  return { method, path: path + search, parameters, headers, missing, value: parse(body) };
}

/** @param {HTMLTextAreaElement | null} body @returns {unknown} the value, or an Error */
function parse(body) {
  if (body === null || body.value.trim() === '') return undefined;
  try {
    return JSON.parse(body.value);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/** @param {HTMLElement} note @param {HTMLElement} field @param {string} text */
function complain(note, field, text) {
  note.textContent = text;
  field.focus();
}

/** @param {HTMLElement} place @param {Response} response @param {number} startedAt */
async function showAnswer(place, response, startedAt) {
  const text = await response.text();
  const milliseconds = Math.round(performance.now() - startedAt);
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const status = document.createElement('p');
  status.className = response.ok ? 'good' : 'bad';
  status.textContent = `${response.status} ${response.ok ? 'OK' : ''} in ${milliseconds} ms`;
  place.replaceChildren(
    status,
    block([...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n'), 'text', 'Headers'),
    block(isJson ? JSON.stringify(JSON.parse(text), null, 2) : text, isJson ? 'json' : 'text'),
  );
  place.scrollIntoView({ block: 'nearest' });
}

/** @param {string} text @param {string} language @param {string} [title] */
function block(text, language, title) {
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  const code = document.createElement('code');
  code.innerHTML = highlight(text, language);
  pre.append(code);
  if (title === undefined) return pre;
  const details = document.createElement('details');
  const summary = document.createElement('summary');
  summary.textContent = title;
  details.append(summary, pre);
  return details;
}
