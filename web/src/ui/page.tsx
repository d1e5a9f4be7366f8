import { Fragment, type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';

interface PageProps {
  readonly title: string;
  /** Where it lies: the names and addresses above it. */
  readonly above?: readonly (readonly [name: string, href: string])[];
  /** Beside the title. */
  readonly state?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of a screen: the title of the tab, the heading, the way back and the actions. */
export function Page({ title, above = [], state, actions, children }: PageProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Service platform`;
  }, [title]);
  return (
    <>
      {above.length > 0 && (
        <nav aria-label="Breadcrumb" className="text-muted mb-1 flex min-h-6 flex-wrap gap-1.5">
          {above.map(([name, href], depth) => (
            <Fragment key={href}>
              {depth > 0 && <span aria-hidden="true">/</span>}
              <Link href={href} className="hover:text-ink max-w-60 truncate">
                {name}
              </Link>
            </Fragment>
          ))}
        </nav>
      )}
      <div className="mb-6 flex flex-wrap items-center justify-between gap-3">
        <div className="flex min-w-0 flex-wrap items-center gap-3">
          <h1 className="text-2xl font-semibold tracking-tight break-words">{title}</h1>
          {state}
        </div>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </>
  );
}

/** A part of a screen under a heading of its own. */
export function Section({
  title,
  hint,
  children,
}: {
  readonly title: string;
  readonly hint?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section className="mb-8" aria-label={title}>
      <h2 className="text-lg font-semibold">{title}</h2>
      {hint !== undefined && <p className="text-muted mt-0.5">{hint}</p>}
      <div className="mt-3">{children}</div>
    </section>
  );
}
