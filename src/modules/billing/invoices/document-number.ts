const PREFIX = { invoice: 'INV', credit_note: 'CN' } as const;

/** `INV-000042`: how people name it. */
export const documentNumber = (series: keyof typeof PREFIX, number: bigint): string =>
  `${PREFIX[series]}-${number.toString().padStart(6, '0')}`;
