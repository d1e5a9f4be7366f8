import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Injectable } from '@nestjs/common';
import { HostAddresses } from './host-addresses.js';
import { isPublicAddress } from './public-address.js';
import type { PublicTarget } from './public-target.js';

const MAX_HEADER_BYTES = 65_536;

export interface CheckedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

export type CheckedRequestFault =
  | 'private_address'
  | 'unknown_host'
  | 'connection_failed'
  /** The headers of the answer have more than 64 KiB. */
  | 'headers_too_large'
  | 'aborted';

/** An answer whose body the caller reads or destroys, or the reason why there is none. */
export type CheckedAnswer =
  | { readonly answer: IncomingMessage }
  | {
      readonly fault: CheckedRequestFault;
      /** True when the peer may have received the request. */
      readonly mayHaveArrived: boolean;
    };

/**
 * Sends single requests to hosts of tenants. A connection goes only to an address that was checked: the name is
 * resolved once, and what was checked is what is connected to, so a name that changes its address in between gains
 * nothing. Redirects are not followed.
 */
@Injectable()
export class CheckedRequests {
  constructor(private readonly addresses: HostAddresses) {}

  /** Never throws. */
  async send(target: PublicTarget, request: CheckedRequest): Promise<CheckedAnswer> {
    let address: string | undefined;
    try {
      address = await orAborted(this.addressOf(target), request.signal);
    } catch {
      return { fault: request.signal.aborted ? 'aborted' : 'unknown_host', mayHaveArrived: false };
    }
    if (address === undefined) return { fault: 'unknown_host', mayHaveArrived: false };
    if (target.publicOnly && !isPublicAddress(address)) return { fault: 'private_address', mayHaveArrived: false };
    return exchange(target.url, address, request);
  }

  /** Returns a private address if there is one among them, because such a name is not to be trusted at all. */
  private async addressOf({ url: { hostname }, publicOnly }: PublicTarget): Promise<string | undefined> {
    if (!publicOnly) return (await this.addresses.ofTrusted(hostname))[0];
    if (isIP(hostname) !== 0) return hostname;
    const addresses = await this.addresses.of(hostname);
    return addresses.find((address) => !isPublicAddress(address)) ?? addresses[0];
  }
}

function exchange(
  url: URL,
  address: string,
  { method, headers, body, signal }: CheckedRequest,
): Promise<CheckedAnswer> {
  const lookup: LookupFunction = (_host, options, done) => {
    const family = isIP(address);
    if (options.all === true) done(null, [{ address, family }]);
    else done(null, address, family);
  };
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve) => {
    let mayHaveArrived = false;
    const fail = (error: unknown): void => {
      resolve({ fault: faultOf(error, signal), mayHaveArrived });
    };
    try {
      const isTls = url.protocol === 'https:';
      // Connections are not kept, because nothing says when the next request comes.
      const options = { method, agent: false, lookup, signal, maxHeaderSize: MAX_HEADER_BYTES };
      const request = (isTls ? requestHttps : requestHttp)(url, { ...options, headers: { ...headers, ...length } });
      request.on('socket', (socket) => {
        socket.once(isTls ? 'secureConnect' : 'connect', () => {
          mayHaveArrived = true;
        });
      });
      request.on('response', (answer) => {
        resolve({ answer });
      });
      request.on('error', fail);
      request.end(body);
    } catch (error) {
      // Node refuses headers that cannot be sent.
      fail(error);
    }
  });
}

function faultOf(error: unknown, signal: AbortSignal): CheckedRequestFault {
  if (signal.aborted) return 'aborted';
  return (error as NodeJS.ErrnoException).code === 'HPE_HEADER_OVERFLOW' ? 'headers_too_large' : 'connection_failed';
}

/** A name server may take longer than a request, and its answer cannot be aborted. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      reject(new Error('The request was ended.'));
    };
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', leave);
    });
  });
}
