import type { IncomingMessage } from 'node:http';
import { hopByHopTest } from './hop-by-hop.js';

/** What frameworks take for the caller's address, or for where a proxy has been asked: only the proxy may say so. */
const SAID_BY_PROXIES = new Set([
  'forwarded',
  'forwarded-for',
  'x-forwarded',
  'x-original-forwarded-for',
  'x-original-host',
  'x-original-url',
  'x-rewrite-url',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-remote-ip',
  'x-remote-addr',
  'x-originating-ip',
  'x-proxyuser-ip',
  'client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'cf-connecting-ipv6',
  'cf-pseudo-ipv4',
  'fastly-client-ip',
  'fly-client-ip',
  'proxy-client-ip',
  'wl-proxy-client-ip',
  'x-appengine-user-ip',
  'x-azure-clientip',
  'x-azure-socketip',
  'x-envoy-external-address',
  'x-nf-client-connection-ip',
  'x-vercel-forwarded-for',
]);
/**
 * `Expect` was answered already; `Proxy` becomes the variable HTTP_PROXY in CGI programs; the framing is written anew.
 */
const NOT_FOR_APPS = new Set(['expect', 'proxy', 'content-length']);

export interface Forwarding {
  readonly scheme: string;
  /** The domain that hosts of apps are below. */
  readonly domain: string;
  /** The caller, then the proxies of ours that it came by. The last one has connected to us. */
  readonly chain: readonly string[];
  /** Whether the one who has connected to us is a proxy of ours, whose word counts. */
  readonly isTrusted: boolean;
}

/** The headers of a request as the app gets them, by name and value in turn, with exactly one way to find its end. */
export function forwardedHeaders(request: IncomingMessage, forwarding: Forwarding): string[] {
  const { headers, rawHeaders } = request;
  const { chain } = forwarding;
  const isHopByHop = hopByHopTest(headers.connection);
  const passed: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (!isHopByHop(name) && !isOurs(name)) passed.push(rawHeaders[index]!, rawHeaders[index + 1]!);
  }
  if (headers['transfer-encoding'] !== undefined) passed.push('Transfer-Encoding', 'chunked');
  else if (headers['content-length'] !== undefined) passed.push('Content-Length', headers['content-length']);
  passed.push(
    'X-Forwarded-For',
    chain.join(', '),
    'X-Forwarded-Proto',
    protocolOf(request, forwarding),
    'X-Forwarded-Host',
    hostOf(request, forwarding),
    'X-Real-IP',
    chain[0] ?? '',
  );
  return passed;
}

/** With underscores too: programs behind CGI, WSGI or Rack see no difference. */
function isOurs(lowerCaseName: string): boolean {
  const name = lowerCaseName.includes('_') ? lowerCaseName.replaceAll('_', '-') : lowerCaseName;
  return name.startsWith('x-forwarded-') || SAID_BY_PROXIES.has(name) || NOT_FOR_APPS.has(name);
}

function protocolOf({ headers }: IncomingMessage, { scheme, isTrusted }: Forwarding): string {
  const said = isTrusted ? headers['x-forwarded-proto'] : undefined;
  return said === 'http' || said === 'https' ? said : scheme.replace(':', '');
}

/** The name that the app was found by: a caller may send the other header too, which then says nothing. */
function hostOf({ headers }: IncomingMessage, { domain, isTrusted }: Forwarding): string {
  const host = headers.host ?? '';
  const name = host.split(':', 1)[0]!.toLowerCase().replace(/\.$/, '');
  if (!isTrusted || name.endsWith(`.${domain}`)) return host;
  return headers['x-forwarded-host']?.toString().split(',').at(-1)?.trim() ?? host;
}
