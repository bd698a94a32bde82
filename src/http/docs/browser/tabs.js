/**
 * Where samples of several languages stand one after the other, shows one at a time, chosen by tabs. The choice holds for every such
 * group and page, and for the next visit.
 */
export function showTabs() {
  const samples = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-tab]'));
  const groups = groupsOf([...samples]).filter((group) => group.length > 1);
  const bars = groups.map((group) => addTabs(group, choose));
  /** @param {string} name */
  function choose(name) {
    localStorage.setItem('language', name);
    for (const show of bars) show(name);
  }
  for (const show of bars) show(localStorage.getItem('language') ?? '');
}

/** @param {HTMLElement[]} samples */
function groupsOf(samples) {
  /** @type {HTMLElement[][]} */
  const groups = [];
  for (const sample of samples) {
    const group = groups.at(-1);
    // The same language again: that is another program.
    const isOther = group?.every(({ dataset }) => dataset['tab'] !== sample.dataset['tab']);
    if (isOther && group?.at(-1) === sample.previousElementSibling) group?.push(sample);
    else groups.push([sample]);
  }
  return groups;
}

/**
 * @param {HTMLElement[]} samples
 * @param {(name: string) => void} choose
 * @returns {(name: string) => void} shows the sample of that name, or the first one
 */
function addTabs(samples, choose) {
  const bar = document.createElement('div');
  bar.className = 'tabs';
  bar.role = 'tablist';
  bar.ariaLabel = 'Language';
  const tabs = samples.map((sample) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.role = 'tab';
    tab.textContent = sample.dataset['tab'] ?? '';
    tab.ariaControlsElements = [sample];
    sample.role = 'tabpanel';
    sample.ariaLabel = tab.textContent;
    tab.addEventListener('click', () => choose(tab.textContent));
    return tab;
  });
  bar.append(...tabs);
  samples[0]?.before(bar);
  bar.addEventListener('keydown', ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0;
    const next = tabs.at((tabs.findIndex((tab) => tab.tabIndex === 0) + step) % tabs.length);
    if (step !== 0) next?.click();
    next?.focus();
  });
  return (name) => {
    const chosen = Math.max(
      0,
      tabs.findIndex((tab) => tab.textContent === name),
    );
    for (const [at, tab] of tabs.entries()) {
      tab.ariaSelected = String(at === chosen);
      tab.tabIndex = at === chosen ? 0 : -1;
      /** @type {HTMLElement} */ (samples[at]).hidden = at !== chosen;
    }
  };
}
