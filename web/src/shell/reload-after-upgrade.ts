const AT = 'reloaded-at';
const ONCE_IN_MS = 30_000;

/**
 * After an upgrade the files of the page that is open are gone. It is loaded again, but once only: what is missing then
 * is missing for another reason.
 */
export function reloadAfterUpgrade(): void {
  addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(AT) ?? 0);
    if (Date.now() - last < ONCE_IN_MS) return;
    event.preventDefault();
    sessionStorage.setItem(AT, String(Date.now()));
    location.reload();
  });
}
