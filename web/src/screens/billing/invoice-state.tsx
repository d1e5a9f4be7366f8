import type { ListedInvoice } from '@service/client';
import type { ReactNode } from 'react';
import { State } from '../../ui/state';

const STATES = {
  finalized: ['accent', 'To be paid'],
  paid: ['good', 'Paid'],
  overdue: ['bad', 'Overdue'],
  void: ['quiet', 'Void'],
} as const;

export function InvoiceState({ state }: Pick<ListedInvoice, 'state'>): ReactNode {
  const [tone, word] = STATES[state];
  return <State tone={tone}>{word}</State>;
}
