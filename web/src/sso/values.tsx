import type { ReactNode } from 'react';
import { CopyLine } from '../ui/copy';

export type Value = readonly [name: string, value: string];

/** What to enter elsewhere, each with its name there and a button that copies it. */
export function Values({ values }: { readonly values: readonly Value[] }): ReactNode {
  return (
    <dl className="grid gap-3">
      {values.map(([name, value]) => (
        <div key={name} className="min-w-0">
          <dt className="text-muted mb-1 text-sm">{name}</dt>
          <dd className="min-w-0">
            <CopyLine text={value} label={name} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
