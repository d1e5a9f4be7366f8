const PREFIX = { invoice: 'INV', credit_note: 'CN' } as const;

/** Formats a document number as people know it, such as `INV-000042`. */
export const documentNumber = (series: keyof typeof PREFIX, number: bigint): string =>
  `${PREFIX[series]}-${number.toString().padStart(6, '0')}`;
