import type { ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { lastMonths } from '../data/billing';

const MONTHS = 6;
const NAME = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `November 2026`, for a month of the form `2026-11`. */
export const monthName = (month: string): string => NAME.format(new Date(`${month}-01`));

/** The month in the address, or else this one. */
export function useMonth(): string {
  const wanted = new URLSearchParams(useSearch()).get('month');
  const months = lastMonths(MONTHS);
  return months.find((each) => each === wanted) ?? months[0]!;
}

/** Chooses one of the last months. It stands in the address of the screen. */
export function MonthChoice({ path, month }: { readonly path: string; readonly month: string }): ReactNode {
  const [, go] = useLocation();
  const months = lastMonths(MONTHS);
  return (
    <select
      aria-label="Month"
      className="input w-auto"
      value={month}
      onChange={({ target }) => {
        go(`${path}${target.value === months[0] ? '' : `?month=${target.value}`}`, { replace: true });
      }}
    >
      {months.map((each) => (
        <option key={each} value={each}>
          {monthName(each)}
        </option>
      ))}
    </select>
  );
}
