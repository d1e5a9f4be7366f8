import type { ReactNode } from 'react';

const WIDTHS = ['w-2/3', 'w-1/2', 'w-5/6', 'w-1/3'];

/** Stands for what is on its way, after 150 ms. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }): ReactNode {
  return (
    <div role="status" aria-label="Loading" className="grid gap-3 py-2">
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} className={`skeleton h-4 ${WIDTHS[index % WIDTHS.length]!}`} />
      ))}
    </div>
  );
}
