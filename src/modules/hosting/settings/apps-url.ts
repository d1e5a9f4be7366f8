import { isDomain } from '../../../platform/config/hosts.js';

export interface AppsUrl {
  /** The scheme, such as `https:`. */
  readonly scheme: string;
  /** The host name, such as `apps.example.com`. */
  readonly domain: string;
  /** The port, such as `:8443`. It is empty for the default port of the scheme. */
  readonly port: string;
}

/** Parses a URL such as `https://apps.example.com:8443`. Returns undefined for any other kind of URL. */
export function parseAppsUrl(text: string): AppsUrl | undefined {
  const match = /^(https?:)\/\/([^/:?#@\s]{1,180})(?::(\d{1,5}))?\/?$/.exec(text);
  if (match === null || !isDomain(match[2]!) || Number(match[3] ?? 1) > 65_535) return undefined;
  const [, scheme, domain] = match as unknown as [string, string, string];
  const port = match[3] === undefined ? '' : new URL(text).port;
  return { scheme, domain, port: port === '' ? '' : `:${port}` };
}
