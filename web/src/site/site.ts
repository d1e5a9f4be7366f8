/** What the public pages do with a script. Each of them is whole without it. */
import './site.css';
import { openSuggestions } from './suggestions';

const theme = document.getElementById('theme');
if (theme !== null) {
  const root = document.documentElement;
  const isDark = (): boolean =>
    root.dataset.theme === undefined
      ? matchMedia('(prefers-color-scheme: dark)').matches
      : root.dataset.theme === 'dark';
  const say = (): void => {
    theme.textContent = isDark() ? 'Light' : 'Dark';
  };
  say();
  theme.hidden = false;
  theme.addEventListener('click', () => {
    const next = isDark() ? 'light' : 'dark';
    root.dataset.theme = next;
    try {
      localStorage.setItem('theme', next);
    } catch {
      // Storage is blocked: the choice lasts for this page.
    }
    say();
  });
}

// On a wide screen there is room for the list of all pages.
const places = document.querySelector<HTMLDetailsElement>('details.places');
if (places !== null) places.open = matchMedia('(min-width: 900px)').matches;

const field = document.querySelector<HTMLInputElement>('#q');
const found = document.getElementById('found');
if (field !== null && found !== null) openSuggestions(field, found);

if (document.getElementById('run') !== null)
  void import('./sandbox').then(({ openSandbox }) => {
    openSandbox();
  });
