const DECIMAL = new Intl.NumberFormat('en', { useGrouping: false, maximumFractionDigits: 9 });

/** An amount of US dollars as a decimal. A small number alone would be written as `1e-7`. */
export const usd = (amount: number): string => `$${DECIMAL.format(amount)}`;
