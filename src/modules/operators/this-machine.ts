import type { IncomingMessage } from 'node:http';

/** Headers that proxies add to the requests that they forward. */
const FORWARDING_HEADERS = [
  'x-forwarded-for',
  'x-forwarded-host',
  'x-real-ip',
  'forwarded',
  'via',
  'cf-connecting-ip',
] as const;
const LOOPBACK_PEER = /^(?:::ffff:)?127(?:\.\d{1,3}){3}$|^::1$/;
/** A foreign page cannot make a browser send such a host, whatever its own name resolves to (DNS rebinding). */
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * True when a program on this machine makes the request: it comes over the loopback interface, names a loopback host,
 * and no proxy has forwarded it. The host of `PUBLIC_URL` does not count, because a proxy on this machine sends it for
 * every caller.
 */
export function isFromThisMachine({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): boolean {
  return (
    LOOPBACK_PEER.test(socket.remoteAddress ?? '') &&
    LOOPBACK_HOST.test(headers.host ?? '') &&
    FORWARDING_HEADERS.every((name) => headers[name] === undefined)
  );
}
