import type { IncomingMessage } from 'node:http';

/** They speak of one connection (RFC 9110, 7.6.1), and we are at the end of two. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade']);
/** What we say ourselves, or what the app would wait for in vain. */
const OURS = new Set(['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'forwarded', 'expect']);

export interface Forwarding {
  readonly scheme: string;
  /** Whether the caller is a proxy of ours, whose word on who called it counts. */
  readonly isTrusted: boolean;
}

/** The headers of a request as the app gets them, by name and value in turn. */
export function forwardedHeaders(request: IncomingMessage, { scheme, isTrusted }: Forwarding): string[] {
  const { headers, socket } = request;
  const before = isTrusted ? headers['x-forwarded-for']?.toString() : undefined;
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  const proto = (isTrusted ? headers['x-forwarded-proto']?.toString() : undefined) ?? scheme.replace(':', '');
  const host = (isTrusted ? headers['x-forwarded-host']?.toString() : undefined) ?? headers.host ?? '';
  return [
    ...endToEnd(request.rawHeaders, headers.connection).filter((_, index, all) => !OURS.has(all[index - (index % 2)]!.toLowerCase())),
    'X-Forwarded-For', before === undefined ? address : `${before}, ${address}`,
    'X-Forwarded-Proto', proto,
    'X-Forwarded-Host', host,
  ];
}

/** Without those that belong to the connection they came by. */
export function endToEnd(raw: readonly string[], connection: string | undefined): string[] {
  const named = new Set((connection ?? '').toLowerCase().split(',').map((name) => name.trim()));
  return raw.filter((_, index) => {
    const name = raw[index - (index % 2)]!.toLowerCase();
    return !HOP_BY_HOP.has(name) && !named.has(name);
  });
}
