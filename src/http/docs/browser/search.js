/** @typedef {{ id: string, page: string, heading: string, text: string }} Section */

const RESULTS_SHOWN = 12;

/**
 * Searches every section of the guides and the reference. Index and library are loaded when somebody first wants them.
 * @param {HTMLElement} box
 * @param {HTMLInputElement} input
 * @param {HTMLElement} list
 */
export function searchFrom(box, input, list) {
  /** @type {Promise<(words: string) => Section[]> | undefined} */
  let finder;
  const load = () => (finder ??= loadFinder());
  const show = async () => {
    const words = input.value.trim();
    const found = words === '' ? [] : (await load())(words);
    // The input has changed while the index was loading.
    if (words !== input.value.trim()) return;
    list.replaceChildren(...found.map((section) => row(section, words)));
    if (found.length === 0)
      list.append(Object.assign(document.createElement('li'), { textContent: 'Nothing found' }));
    list.hidden = words === '';
  };
  const close = () => {
    input.value = '';
    list.hidden = true;
  };
  input.addEventListener('focus', () => void load());
  input.addEventListener('input', () => void show());
  // A link to a section of this very page loads nothing, so the list must be closed.
  list.addEventListener('click', close);
  box.addEventListener('keydown', (event) => {
    const stops = [input, ...list.querySelectorAll('a')];
    const at = stops.findIndex((stop) => stop === document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) stops[Math.max(0, at + step)]?.focus();
    else if (event.key === 'Enter' && at === 0) stops[1]?.click();
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
    if (event.key !== '/' || isTyping) return;
    event.preventDefault();
    input.focus();
  });
}

/** @returns {Promise<(words: string) => Section[]>} */
async function loadFinder() {
  const { root, assets } = document.body.dataset;
  const [{ default: MiniSearch }, sections] = await Promise.all([
    /** @type {Promise<typeof import('minisearch')>} */ (import(`${assets}/minisearch.js`)),
    fetch(`${root}/search.json`).then((response) => /** @type {Promise<Section[]>} */ (response.json())),
  ]);
  /** @param {string} text */
  const wordsOf = (text) => text.split(/[^\p{L}\p{N}_]+/u);
  const index = new MiniSearch({
    fields: ['heading', 'page', 'text'],
    storeFields: ['page', 'heading', 'text'],
    // A field or a code is found whole and by its parts.
    tokenize: (text) =>
      wordsOf(text).flatMap((word) => (word.includes('_') ? [word, ...word.split('_')] : word)),
    searchOptions: { tokenize: wordsOf, boost: { heading: 6, page: 3 }, prefix: true, combineWith: 'AND' },
  });
  index.addAll(sections);
  return (words) => {
    // As typed, then with two letters swapped back, then with other mistakes, then with any of the words.
    const swapped = Array.from(
      words,
      (_, at) => words.slice(0, at) + (words[at + 1] ?? '') + words[at] + words.slice(at + 2),
    );
    const attempts = [
      () => index.search(words),
      () => index.search({ queries: swapped, combineWith: 'OR' }),
      () => index.search(words, { fuzzy: 0.25 }),
      () => index.search(words, { fuzzy: 0.25, combineWith: 'OR' }),
    ];
    const found = attempts.reduce(
      (results, next) => (results.length > 0 ? results : next()),
      index.search(''),
    );
    return /** @type {Section[]} */ (/** @type {unknown} */ (found.slice(0, RESULTS_SHOWN)));
  };
}

/** @param {Section} section @param {string} words */
function row({ id, page, heading, text }, words) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = id;
  const title = document.createElement('strong');
  title.textContent = heading === page ? page : `${page}: ${heading}`;
  const excerpt = document.createElement('span');
  const at = Math.max(0, text.toLowerCase().indexOf(words.toLowerCase().split(' ')[0] ?? '') - 40);
  excerpt.textContent = `${at > 0 ? '…' : ''}${text.slice(at, at + 120)}`;
  link.append(title, excerpt);
  item.append(link);
  return item;
}
