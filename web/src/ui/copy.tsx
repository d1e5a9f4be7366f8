import { type ReactNode, useState } from 'react';
import { Icon } from './icons';

const SHOWN_MS = 1_500;

/** Copies, and says so, to who cannot see it too. */
export function Copy({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const [said, setSaid] = useState('');
  const copy = async (): Promise<void> => {
    // Without HTTPS, and not on this machine, browsers have no clipboard.
    const done = await copied(text);
    setSaid(done ? 'Copied' : 'This browser does not allow copying');
    setTimeout(() => {
      setSaid('');
    }, SHOWN_MS);
  };
  return (
    <button
      type="button"
      onClick={() => void copy()}
      aria-label={label}
      title={said || label}
      className="text-muted hover:bg-sunken hover:text-ink relative inline-grid size-6 shrink-0 place-items-center rounded-sm"
    >
      <Icon name={said === 'Copied' ? 'check' : said === '' ? 'copy' : 'warning'} size={14} />
      <span role="status" className="sr-only">
        {said}
      </span>
    </button>
  );
}

async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** A command or an address in its whole length, with its button. */
export function CopyLine({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  return (
    <span className="bg-sunken border-line inline-flex max-w-full items-center gap-2 rounded-md border py-1 pr-1 pl-3">
      <code
        className="overflow-x-auto font-mono text-sm whitespace-nowrap"
        tabIndex={0}
        role="group"
        aria-label={label}
      >
        {text}
      </code>
      <Copy text={text} label={`Copy: ${label}`} />
    </span>
  );
}
