import type { ReactNode } from 'react';

interface FigureProps {
  readonly label: string;
  readonly value: ReactNode;
  /** What the value means, or what comes next. */
  readonly children?: ReactNode;
}

/** One number that matters, large, with a line below it. */
export function Figure({ label, value, children }: FigureProps): ReactNode {
  return (
    <div className="card grid content-start gap-1 p-4">
      <dt className="text-muted text-sm">{label}</dt>
      <dd className="text-xl font-semibold tracking-tight tabular-nums">{value}</dd>
      {children !== undefined && <dd className="text-muted text-sm">{children}</dd>}
    </div>
  );
}
