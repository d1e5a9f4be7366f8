import { isDomain } from '../../../platform/config/hosts.js';

export interface AppsUrl {
  /** `https:` */
  readonly scheme: string;
  /** `apps.example.com` */
  readonly domain: string;
  /** `:8443`, or nothing where it is the scheme's own. */
  readonly port: string;
}

/** Reads `https://apps.example.com:8443`. Undefined when it is another kind of address. */
export function parseAppsUrl(text: string): AppsUrl | undefined {
  const match = /^(https?:)\/\/([^/:?#@\s]{1,180})(?::(\d{1,5}))?\/?$/.exec(text);
  if (match === null || !isDomain(match[2]!) || Number(match[3] ?? 1) > 65_535) return undefined;
  const [, scheme, domain] = match as unknown as [string, string, string];
  const port = match[3] === undefined ? '' : new URL(text).port;
  return { scheme, domain, port: port === '' ? '' : `:${port}` };
}
