import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ReactNode } from 'react';
import { Link } from 'wouter';

const LOOKS = {
  primary: 'bg-accent text-on-accent hover:brightness-110 border-transparent',
  plain: 'bg-surface border-line hover:bg-sunken',
  quiet: 'border-transparent text-muted hover:bg-sunken hover:text-ink',
  danger: 'bg-bad-soft text-bad border-transparent hover:brightness-95',
} as const;

const SHAPE =
  'inline-flex h-8 items-center justify-center gap-2 rounded-md border px-3 font-medium whitespace-nowrap ' +
  'transition-[filter,background-color,color] disabled:opacity-60';

export interface Look {
  readonly look?: keyof typeof LOOKS;
  /** As wide as what it stands in. */
  readonly wide?: boolean;
}

const classOf = ({ look = 'plain', wide = false }: Look, more: string): string =>
  `${SHAPE} ${LOOKS[look]} ${wide ? 'w-full' : ''} ${more}`;

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & Look & { readonly busy?: boolean };

/** It stays where it is while it is busy, and cannot be pressed twice. */
export function Button({ look, wide, busy = false, className = '', children, ...rest }: ButtonProps): ReactNode {
  const shape = classOf({ ...(look && { look }), ...(wide && { wide }) }, className);
  return (
    <button
      type="button"
      aria-busy={busy || undefined}
      {...rest}
      disabled={rest.disabled === true || busy}
      className={shape}
    >
      {children}
    </button>
  );
}

type ButtonLinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & Look & { readonly href: string };

/** A link that looks like a button. What is outside of the app opens in a tab of its own. */
export function ButtonLink({ look, wide, href, className = '', children, ...rest }: ButtonLinkProps): ReactNode {
  const shape = classOf({ ...(look && { look }), ...(wide && { wide }) }, className);
  if (href.startsWith('/app'))
    return (
      <Link href={href} {...rest} className={shape}>
        {children}
      </Link>
    );
  return (
    <a href={href} target="_blank" rel="noreferrer" {...rest} className={shape}>
      {children}
    </a>
  );
}
