import { type AnchorHTMLAttributes, createContext, type ReactNode, useContext } from 'react';
import { Link } from 'wouter';
import { type ParamsOf, type PathName, pathTo } from '../paths';

/** Fetches the code and the data of a screen. The app sets it, as links are a part of screens. */
export const ScreenPreparation = createContext<(name: PathName, params: ParamsOf<PathName>) => void>(() => undefined);

type ScreenLinkProps<Name extends PathName> = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & {
  readonly to: Name;
  readonly params: ParamsOf<Name>;
  readonly children: ReactNode;
};

/** A link to a screen. The pointer or the focus on it fetches its code and its data, before the click. */
export function ScreenLink<Name extends PathName>({ to, params, children, ...rest }: ScreenLinkProps<Name>): ReactNode {
  const prepareScreen = useContext(ScreenPreparation);
  const prepare = (): void => {
    prepareScreen(to, params as ParamsOf<PathName>);
  };
  return (
    <Link {...rest} href={pathTo(to, params)} onPointerEnter={prepare} onFocus={prepare}>
      {children}
    </Link>
  );
}
