import type { ReactNode } from 'react';

/** One fact of a list of them: its name in small, and the value below. */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="min-w-0">
      <dt className="text-muted text-xs">{name}</dt>
      <dd className="mt-0.5 flex min-h-6 min-w-0 items-center gap-1">{children}</dd>
    </div>
  );
}
