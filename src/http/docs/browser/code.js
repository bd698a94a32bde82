/** One sample at a time, chosen by tabs; the choice holds on every page. @param {HTMLElement} section */
export function showTabs(section) {
  const samples = /** @type {HTMLElement[]} */ ([...section.querySelectorAll('.sample')]);
  const bar = /** @type {HTMLElement} */ (section.querySelector('.tabs'));
  bar.setAttribute('role', 'tablist');
  const tabs = samples.map((sample, at) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.id = `tab-${at}`;
    tab.textContent = sample.dataset['name'] ?? '';
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', `sample-${at}`);
    sample.id = `sample-${at}`;
    sample.setAttribute('role', 'tabpanel');
    sample.setAttribute('aria-labelledby', tab.id);
    sample.querySelector('h3')?.remove();
    tab.addEventListener('click', () => select(at));
    bar.append(tab);
    return tab;
  });
  /** @param {number} chosen */
  const select = (chosen) => {
    for (const [at, tab] of tabs.entries()) {
      tab.setAttribute('aria-selected', String(at === chosen));
      tab.tabIndex = at === chosen ? 0 : -1;
      /** @type {HTMLElement} */ (samples[at]).hidden = at !== chosen;
    }
    sessionStorage.setItem('language', tabs[chosen]?.textContent ?? '');
  };
  bar.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const chosen = (tabs.findIndex((tab) => tab.tabIndex === 0) + step + tabs.length) % tabs.length;
    select(chosen);
    tabs[chosen]?.focus();
  });
  const kept = sessionStorage.getItem('language');
  select(
    Math.max(
      0,
      tabs.findIndex((tab) => tab.textContent === kept),
    ),
  );
}

export function addCopyButtons() {
  for (const block of document.querySelectorAll('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => {
      void navigator.clipboard.writeText(block.querySelector('code')?.textContent ?? '');
      button.textContent = 'Copied';
      setTimeout(() => (button.textContent = 'Copy'), 1500);
    });
    block.append(button);
  }
}
