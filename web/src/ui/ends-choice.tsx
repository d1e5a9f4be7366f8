import type { ReactNode } from 'react';
import { Choice } from './form';

const CHOICES = [
  ['7', 'In a week'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
] as const;

interface Props {
  readonly name: string;
  readonly defaultValue: '' | '90';
  /** The longest lifetime, when the organization limits it. */
  readonly limitDays?: number | undefined;
}

/** When a key ends, in days from now; empty for never, or for as late as the organization allows. */
export function EndsChoice({ name, defaultValue, limitDays }: Props): ReactNode {
  const allowed = CHOICES.filter(([days]) => limitDays === undefined || Number(days) < limitDays);
  return (
    <Choice
      // The choice begins again when the limit is known.
      key={limitDays}
      label="Ends"
      name={name}
      defaultValue={allowed.some(([days]) => days === defaultValue) ? defaultValue : ''}
      {...(limitDays !== undefined && { hint: 'The organization limits how long keys live.' })}
    >
      {allowed.map(([days, label]) => (
        <option key={days} value={days}>
          {label}
        </option>
      ))}
      <option value="">
        {limitDays === undefined ? 'Never' : `In ${limitDays} ${limitDays === 1 ? 'day' : 'days'}`}
      </option>
    </Choice>
  );
}
