import { type ReactNode, useEffect, useRef } from 'react';
import type { ParamsOf, PathName } from '../paths';
import { ScreenLink } from './screen-link';

/** The badge is a number that asks to be looked at. */
export type Tab<Name extends PathName> = readonly [name: string, to: Name, badge?: ReactNode];

interface TabsProps<Name extends PathName> {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  /** The screen that is open, or the one that it lies below. */
  readonly open: Name;
  readonly params: ParamsOf<Name>;
}

/** Screens that lie beside each other. On a phone the row scrolls, and the open one is in view. */
export function Tabs<Name extends PathName>({ label, tabs, open, params }: TabsProps<Name>): ReactNode {
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    const place = row.current!.querySelector<HTMLElement>('[aria-current]');
    if (place !== null) row.current!.scrollLeft = place.offsetLeft - row.current!.clientWidth / 2;
  }, [open]);
  return (
    <nav ref={row} aria-label={label} className="border-line relative -mt-2 mb-6 flex gap-1 overflow-x-auto border-b">
      {tabs.map(([name, to, badge]) => (
        <ScreenLink
          key={to}
          to={to}
          params={params}
          aria-current={to === open ? 'page' : undefined}
          className={`flex min-h-9 items-center gap-1.5 border-b-2 px-3 whitespace-nowrap ${to === open ? 'border-accent text-ink font-medium' : 'text-muted hover:text-ink border-transparent'}`}
        >
          {name}
          {badge}
        </ScreenLink>
      ))}
    </nav>
  );
}
