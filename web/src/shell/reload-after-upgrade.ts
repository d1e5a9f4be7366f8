import { isSomethingTyped } from '../ui/typed';

const AT = 'reloaded-at';
const ONCE_IN_MS = 30_000;

/**
 * After an upgrade the files of the page that is open are gone. It is loaded again, but once only: what is missing then
 * is missing for another reason. Nor is it loaded again by itself while a form holds what was typed: the code of a
 * screen is fetched when the pointer is on a link to it.
 */
export function reloadAfterUpgrade(): void {
  addEventListener('vite:preloadError', (event) => {
    if (isSomethingTyped()) return;
    const last = Number(sessionStorage.getItem(AT) ?? 0);
    if (Date.now() - last < ONCE_IN_MS) return;
    event.preventDefault();
    sessionStorage.setItem(AT, String(Date.now()));
    location.reload();
  });
}
