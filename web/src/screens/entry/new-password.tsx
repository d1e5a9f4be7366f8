import type { ReactNode } from 'react';
import { Field } from '../../ui/form';

const MIN_LENGTH = 10;

/** A field for a password that is chosen now, by the rules of the service. */
export function NewPassword({ name, label }: { readonly name: string; readonly label: string }): ReactNode {
  return (
    <Field
      label={label}
      name={name}
      type="password"
      autoComplete="new-password"
      required
      minLength={MIN_LENGTH}
      hint={`At least ${MIN_LENGTH} characters. A sentence is good.`}
    />
  );
}
