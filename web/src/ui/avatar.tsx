import type { ReactNode } from 'react';

/** The first letter of a name, also where that is more than one unit of text, as an emoji is. */
export function Avatar({ name }: { readonly name: string }): ReactNode {
  return (
    <span
      aria-hidden="true"
      className="bg-accent-soft text-accent-ink grid size-6 shrink-0 place-items-center rounded-sm text-xs font-semibold"
    >
      {[...name.trim()][0]?.toUpperCase()}
    </span>
  );
}
