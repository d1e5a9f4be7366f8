import type { ReactNode } from 'react';
import { Field } from '../ui/form';

/** A code of an authenticator app, or a recovery code in its place. */
export function CodeField(): ReactNode {
  return (
    <Field
      label="Code"
      name="code"
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      required
      autoFocus
      maxLength={40}
      hint="From your authenticator app, or a recovery code."
    />
  );
}
