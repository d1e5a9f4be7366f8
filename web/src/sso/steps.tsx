import type { ReactNode } from 'react';

/** What a person does elsewhere, in this order. */
export function Steps({ steps }: { readonly steps: readonly string[] }): ReactNode {
  return (
    <ol className="grid list-decimal gap-1.5 pl-5">
      {steps.map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
  );
}
