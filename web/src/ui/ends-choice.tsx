import type { ReactNode } from 'react';
import { Choice } from './form';

/** When a key ends, in days from now; empty for never. */
export function EndsChoice(props: { readonly name: string; readonly defaultValue: '' | '90' }): ReactNode {
  return (
    <Choice label="Ends" {...props}>
      <option value="7">In a week</option>
      <option value="30">In 30 days</option>
      <option value="90">In 90 days</option>
      <option value="365">In a year</option>
      <option value="">Never</option>
    </Choice>
  );
}
