import { type ReactNode, useEffect } from 'react';

interface FrameProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children?: ReactNode;
  /** Below the card: the way to the other screens. */
  readonly below?: ReactNode;
}

/** What stands around the forms of people who have not signed in. */
export function Frame({ title, lead, children, below }: FrameProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Service platform`;
  }, [title]);
  return (
    <main className="grid min-h-dvh content-center justify-items-center gap-6 px-4 py-10">
      <div className="grid justify-items-center gap-4 text-center">
        <a href="/" aria-label="Service platform" className="rounded-md">
          <img src="/site/mark.svg" alt="" width={40} height={40} />
        </a>
        <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
        {lead !== undefined && <p className="text-muted -mt-2 max-w-sm">{lead}</p>}
      </div>
      {children !== undefined && <div className="card w-full max-w-sm p-6">{children}</div>}
      {below !== undefined && <div className="text-muted text-center">{below}</div>}
    </main>
  );
}
