import { showTabs } from './tabs.js';
import { searchFrom } from './search.js';
import { tryFrom } from './try.js';

const [box, search, results] = ['search', '#search', '#results'].map((name) => document.querySelector(name));
if (box instanceof HTMLElement && search instanceof HTMLInputElement && results instanceof HTMLElement)
  searchFrom(box, search, results);

const menu = document.querySelector('#menu');
const navigation = document.querySelector('#navigation');
menu?.addEventListener('click', () => {
  const open = navigation?.classList.toggle('open') === true;
  menu.setAttribute('aria-expanded', String(open));
});
// A long navigation is otherwise at its top again after every click.
navigation?.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' });
scrollTo(0, location.hash === '' ? 0 : scrollY);

showTabs();
const form = document.querySelector('form.try');
if (form instanceof HTMLFormElement) void tryFrom(form);

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
