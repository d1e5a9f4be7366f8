/** Nothing that a tenant has set for its roles changes what is written, or how long it may take. */
export const transferSettings = (): Readonly<Record<string, string>> => ({
  application_name: 'service',
  client_encoding: 'UTF8',
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  quote_all_identifiers: 'off',
  standard_conforming_strings: 'on',
  statement_timeout: '0',
  transaction_timeout: '0',
  lock_timeout: '60000',
  client_min_messages: 'error',
});
