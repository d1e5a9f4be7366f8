export interface DatabaseAddress {
  readonly host: string;
  readonly port: number;
}

/** What a setting says: without a port, it is the one on which the host listens. */
export interface GivenAddress {
  readonly host: string;
  readonly port: number | undefined;
}

export const ADDRESS_RULE = 'must be a host name, or a host name and a port, such as db.example.com:5432';

/** Parses `db.example.com`, `10.0.0.5:5433` or `[fd00::5]:5433`. Returns undefined for anything else. */
export function parseAddress(text: string): GivenAddress | undefined {
  if (!/^(\[[0-9a-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.test(text) || !URL.canParse(`tcp://${text}`)) return undefined;
  const { hostname, port } = new URL(`tcp://${text}`);
  return { host: hostname, port: port === '' ? undefined : Number(port) };
}
