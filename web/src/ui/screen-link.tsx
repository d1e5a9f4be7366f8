import type { AnchorHTMLAttributes, ReactNode } from 'react';
import { Link } from 'wouter';
import { type ParamsOf, type PathName, pathTo } from '../paths';
import { SCREENS } from '../screens';

type ScreenLinkProps<Name extends PathName> = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & {
  readonly to: Name;
  readonly params: ParamsOf<Name>;
  readonly children: ReactNode;
};

/** A link to a screen. The pointer or the focus on it fetches its code and its data, before the click. */
export function ScreenLink<Name extends PathName>({ to, params, children, ...rest }: ScreenLinkProps<Name>): ReactNode {
  const prepare = (): void => {
    prepareScreen(to, params);
  };
  return (
    <Link {...rest} href={pathTo(to, params)} onPointerEnter={prepare} onFocus={prepare}>
      {children}
    </Link>
  );
}

export function prepareScreen<Name extends PathName>(name: Name, params: ParamsOf<Name>): void {
  SCREENS[name]().then(
    ({ prepare }) => prepare?.(params),
    // The click will try again, and report it.
    () => undefined,
  );
}
