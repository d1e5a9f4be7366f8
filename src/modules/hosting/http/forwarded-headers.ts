import type { IncomingMessage } from 'node:http';
import { hostNameOf } from '../../../platform/http/host-name.js';
import { hopByHopTest } from './hop-by-hop.js';

/** Frameworks read the caller's address or the original URL from these headers, so only the proxy may set them. */
const SET_BY_PROXIES = new Set([
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
 * `Expect` was already answered, `Proxy` becomes the variable HTTP_PROXY in CGI programs, and the proxy sets the
 * framing itself.
 */
const NOT_FOR_APPS = new Set(['expect', 'proxy', 'content-length']);

export interface Forwarding {
  readonly scheme: string;
  /** The host name that the app was found by. */
  readonly host: string;
  /** The address of the caller, then the trusted proxies on the way. The last one is the peer of this connection. */
  readonly chain: readonly string[];
  /** True when the peer of this connection is a trusted proxy. */
  readonly isTrusted: boolean;
  /** Replaces the header of the caller, whose trace it continues. */
  readonly traceparent?: string | undefined;
}

/** Returns the headers that the app gets. Names and values alternate, and exactly one header delimits the body. */
export function forwardedHeaders(request: IncomingMessage, forwarding: Forwarding): string[] {
  const { headers, rawHeaders } = request;
  const { chain, traceparent } = forwarding;
  const isHopByHop = hopByHopTest(headers.connection);
  const passed: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    const isReplaced = traceparent !== undefined && name === 'traceparent';
    if (!isHopByHop(name) && !isOurs(name) && !isReplaced) passed.push(rawHeaders[index]!, rawHeaders[index + 1]!);
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
  if (traceparent !== undefined) passed.push('traceparent', traceparent);
  return passed;
}

/** Underscores count as hyphens, because programs behind CGI, WSGI or Rack cannot distinguish them. */
function isOurs(lowerCaseName: string): boolean {
  const name = lowerCaseName.includes('_') ? lowerCaseName.replaceAll('_', '-') : lowerCaseName;
  return name.startsWith('x-forwarded-') || SET_BY_PROXIES.has(name) || NOT_FOR_APPS.has(name);
}

function protocolOf({ headers }: IncomingMessage, { scheme, isTrusted }: Forwarding): string {
  const forwarded = isTrusted ? headers['x-forwarded-proto'] : undefined;
  return forwarded === 'http' || forwarded === 'https' ? forwarded : scheme.replace(':', '');
}

/** Returns the host that the app was found by, as the visitor wrote it: `Host`, or else `X-Forwarded-Host`. */
function hostOf({ headers }: IncomingMessage, { host: foundBy, isTrusted }: Forwarding): string {
  const host = headers.host ?? '';
  if (!isTrusted || hostNameOf(host) === foundBy) return host;
  return headers['x-forwarded-host']?.toString().split(',').at(-1)?.trim() ?? host;
}
