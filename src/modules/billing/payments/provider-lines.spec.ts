import fc from 'fast-check';
import { NANO_PER_CENT, roundToCents } from '../domain/cents.js';
import type { InvoiceLine } from '../invoices/invoices.service.js';
import { providerLines } from './provider-lines.js';

const line = (amountNano: bigint, index: number): InvoiceLine => ({
  invoiceId: 'ivc_x',
  position: index + 1,
  kind: 'credits',
  plan: null,
  meter: null,
  model: null,
  priceVersion: null,
  priceNano: null,
  pricedPer: null,
  quantity: null,
  unit: null,
  periodFrom: new Date(0),
  periodTo: new Date(1),
  amountNano,
});

describe('the lines that a provider of payments is sent', () => {
  it('come to the total in whole cents, and each is less than a cent off', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), { maxLength: 30 }), (amounts) => {
        const sent = providerLines(amounts.map(line));
        expect(sent.reduce((sum, { amountCents }) => sum + amountCents, 0n)).toBe(
          roundToCents(amounts.reduce((sum, amount) => sum + amount, 0n)),
        );
        for (const { position, amountCents } of sent) {
          const off = amountCents * NANO_PER_CENT - amounts[position - 1]!;
          expect(off <= NANO_PER_CENT && off >= -NANO_PER_CENT).toBe(true);
        }
      }),
    );
  });
});
