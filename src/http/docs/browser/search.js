/** @typedef {{ id: string, page: string, heading: string, text: string }} Section */

const RESULTS_SHOWN = 12;

/**
 * Looks through every section of the guides and the reference. Index and library are loaded when somebody first wants them.
 * @param {HTMLInputElement} input
 * @param {HTMLElement} list
 */
export function searchFrom(input, list) {
  /** @type {Promise<(words: string) => Section[]> | undefined} */
  let finder;
  const load = () => (finder ??= loadFinder());
  const show = async () => {
    const words = input.value.trim();
    const found = words === '' ? [] : (await load())(words);
    // Somebody who types on has asked for something else by now.
    if (words !== input.value.trim()) return;
    list.replaceChildren(...(found.length > 0 ? found.map((section) => row(section, words)) : [none()]));
    list.hidden = words === '';
  };
  input.addEventListener('focus', () => void load());
  input.addEventListener('input', () => void show());
  input.addEventListener('keydown', (event) => {
    const first = list.querySelector('a');
    if (event.key === 'Enter' && first !== null) location.assign(first.href);
    if (event.key === 'ArrowDown') first?.focus();
    else if (event.key !== 'Escape') return;
    else close();
    event.preventDefault();
  });
  list.addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll('a')];
    const at = links.findIndex((link) => link === document.activeElement);
    if (event.key === 'ArrowDown') links[at + 1]?.focus();
    else if (event.key === 'ArrowUp') (links[at - 1] ?? input).focus();
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
  });
  // A link to a place on this very page loads nothing, so the list must go by itself.
  list.addEventListener('click', () => close());
  const close = () => {
    input.value = '';
    list.hidden = true;
  };
  document.addEventListener('keydown', (event) => {
    const typing = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
    if (event.key !== '/' || typing) return;
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
  const index = new MiniSearch({
    fields: ['heading', 'page', 'text'],
    storeFields: ['page', 'heading', 'text'],
    // A field or a code is found whole and by its parts.
    tokenize: (text) =>
      wordsOf(text).flatMap((word) => (word.includes('_') ? [word, ...word.split('_')] : word)),
    searchOptions: { tokenize: wordsOf, boost: { heading: 6, page: 3 }, prefix: true, fuzzy: 0.25 },
  });
  index.addAll(sections);
  return (words) => {
    const all = index.search(words, { combineWith: 'AND' });
    const found = all.length > 0 ? all : index.search(words);
    return /** @type {Section[]} */ (/** @type {unknown} */ (found.slice(0, RESULTS_SHOWN)));
  };
}

/** @param {string} text */
function wordsOf(text) {
  return text.split(/[^\p{L}\p{N}_]+/u);
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

function none() {
  const item = document.createElement('li');
  item.textContent = 'Nothing found';
  return item;
}
