import { useEffect, useRef } from 'react';

interface Shortcuts {
  readonly onPalette: () => void;
  readonly onHelp: () => void;
  readonly onOrganizations: () => void;
  /** The letter after `g`. */
  readonly onGo: (key: string) => void;
}

const AFTER_G_MS = 1_000;
const TYPING = 'input, textarea, select, [contenteditable=true], dialog, [role=menu]';

/** Keys of the whole app. Nothing is taken from who types. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    // Times of the keys themselves: a busy page may learn of them late.
    let sinceG = -AFTER_G_MS;
    const onKey = (event: KeyboardEvent): void => {
      const { onPalette, onHelp, onOrganizations, onGo } = latest.current;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        // A modal on a modal holds two focuses.
        if (document.querySelector('dialog[open]') === null) onPalette();
        return;
      }
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || target.shadowRoot !== null) return;
      if (target.closest(TYPING) !== null) return;
      if (event.timeStamp - sinceG < AFTER_G_MS) {
        sinceG = -AFTER_G_MS;
        onGo(event.key);
      } else if (event.key === 'g') sinceG = event.timeStamp;
      else if (event.key === '?') onHelp();
      else if (event.key === 'o') {
        event.preventDefault();
        onOrganizations();
      } else if (event.key === '/') {
        const search = document.querySelector<HTMLElement>('main [data-search]');
        event.preventDefault();
        if (search === null) onPalette();
        else search.focus();
      }
    };
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('keydown', onKey);
    };
  }, []);
}
