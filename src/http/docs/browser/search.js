/** @typedef {{ address: string, page: string, heading: string, text: string, words?: string }} Section */

const MOST_RESULTS = 12;

/**
 * Looks through every section of the guides and the reference. The index is loaded when somebody first wants it.
 * @param {HTMLInputElement} input
 * @param {HTMLElement} list
 */
export function searchFrom(input, list) {
  /** @type {Promise<Section[]> | undefined} */
  let index;
  const load = () =>
    (index ??= fetch(`${document.body.dataset['root']}/search.json`).then((answer) => answer.json()));
  const show = async () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length === 0 ? [] : find(await load(), words);
    list.replaceChildren(...(found.length > 0 ? found.map((section) => row(section, words)) : [none()]));
    list.hidden = words.length === 0;
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

/**
 * Every word must be there. A word in a heading counts more than one in the text, a whole heading most.
 * @param {Section[]} sections
 * @param {string[]} words
 */
function find(sections, words) {
  return sections
    .map((section) => ({ section, score: score(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_RESULTS)
    .map(({ section }) => section);
}

/** @param {Section} section @param {string[]} words */
function score({ page, heading, text, words: more = '' }, words) {
  const [title, head] = [page.toLowerCase(), heading.toLowerCase()];
  const body = `${text} ${more}`.toLowerCase();
  let sum = head === words.join(' ') ? 50 : 0;
  for (const word of words) {
    const found =
      Number(head.includes(word)) * 10 + Number(title.includes(word)) * 5 + Number(body.includes(word));
    if (found === 0) return 0;
    sum += found;
  }
  return sum;
}

/** @param {Section} section @param {string[]} words */
function row({ address, page, heading, text }, words) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = address;
  const title = document.createElement('strong');
  title.textContent = heading === page ? page : `${page}: ${heading}`;
  const excerpt = document.createElement('span');
  const at = Math.max(0, text.toLowerCase().indexOf(words[0] ?? '') - 40);
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
