/**
 * In each section one sample at a time, chosen by tabs. The choice holds for every section and page, and for the next visit.
 * @param {HTMLElement[]} sections
 */
export function showTabs(sections) {
  const bars = sections.map((section, at) => addTabs(section, `${at}`, (name) => choose(name)));
  /** @param {string} name */
  const choose = (name) => {
    localStorage.setItem('language', name);
    for (const select of bars) select(name);
  };
  const kept = localStorage.getItem('language') ?? '';
  for (const select of bars) select(kept);
}

/**
 * @param {HTMLElement} section
 * @param {string} id
 * @param {(name: string) => void} choose
 * @returns {(name: string) => void} shows the sample of that name, or the first one
 */
function addTabs(section, id, choose) {
  const samples = /** @type {HTMLElement[]} */ ([...section.querySelectorAll('.sample')]);
  const bar = /** @type {HTMLElement} */ (section.querySelector('.tabs'));
  const names = samples.map((sample) => sample.dataset['name'] ?? '');
  bar.setAttribute('role', 'tablist');
  bar.setAttribute('aria-label', 'Language');
  const tabs = samples.map((sample, at) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.id = `tab-${id}-${at}`;
    tab.textContent = names[at] ?? '';
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', `sample-${id}-${at}`);
    sample.id = `sample-${id}-${at}`;
    sample.setAttribute('role', 'tabpanel');
    sample.setAttribute('aria-labelledby', tab.id);
    sample.querySelector('.language')?.remove();
    tab.addEventListener('click', () => choose(names[at] ?? ''));
    bar.append(tab);
    return tab;
  });
  bar.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const chosen = (tabs.findIndex((tab) => tab.tabIndex === 0) + step + tabs.length) % tabs.length;
    choose(names[chosen] ?? '');
    tabs[chosen]?.focus();
  });
  return (name) => {
    const chosen = Math.max(0, names.indexOf(name));
    for (const [at, tab] of tabs.entries()) {
      tab.setAttribute('aria-selected', String(at === chosen));
      tab.tabIndex = at === chosen ? 0 : -1;
      /** @type {HTMLElement} */ (samples[at]).hidden = at !== chosen;
    }
  };
}
