import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Injectable } from '@nestjs/common';
import { isPublicAddress } from '../../../platform/egress/public-address.js';
import { targetOf } from '../domain/webhook-target.js';
import { WebhooksSettings } from '../webhooks.settings.js';
import { HostAddresses } from './host-addresses.js';

const TIMEOUT_MS = 10_000;
const MAX_READ_BYTES = 16_384;
const EXCERPT_LENGTH = 1_000;

export interface OutgoingWebhook {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How an attempt ended: with a status, or with the reason why there is none. */
export type SendOutcome =
  | { readonly status: number; readonly excerpt: string }
  | { readonly error: 'refused_url' | 'private_address' | 'unknown_host' | 'timed_out' | 'connection_failed' };

/**
 * Sends webhooks to receivers of tenants. A connection goes only to an address that was checked: the name is resolved
 * once, and what was checked is what is connected to, so a name that changes its address in between gains nothing.
 * Redirects are not followed, and only the beginning of a response is read.
 */
@Injectable()
export class WebhookSender {
  constructor(
    private readonly settings: WebhooksSettings,
    private readonly addresses: HostAddresses,
  ) {}

  /** Never throws. The time limit covers the whole attempt. */
  async send({ url: text, headers, body }: OutgoingWebhook, stopping: AbortSignal): Promise<SendOutcome> {
    const target = targetOf(text, this.settings.trustedHosts);
    if (target === undefined) return { error: 'refused_url' };
    const { url, publicOnly } = target;
    const late = AbortSignal.timeout(TIMEOUT_MS);
    const signal = AbortSignal.any([late, stopping]);
    try {
      const address = await orAborted(this.addressOf(url.hostname), signal);
      if (address === undefined) return { error: 'unknown_host' };
      if (publicOnly && !isPublicAddress(address)) return { error: 'private_address' };
      return await exchange(url, { headers, body, address, signal });
    } catch (error) {
      if (late.aborted) return { error: 'timed_out' };
      return { error: isUnknownHost(error) ? 'unknown_host' : 'connection_failed' };
    }
  }

  /** Returns a private address if there is one among them, because such a name is not to be trusted at all. */
  private async addressOf(hostname: string): Promise<string | undefined> {
    if (isIP(hostname) !== 0) return hostname;
    const addresses = await this.addresses.of(hostname);
    return addresses.find((address) => !isPublicAddress(address)) ?? addresses[0];
  }
}

interface Exchange {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly address: string;
  readonly signal: AbortSignal;
}

function exchange(url: URL, { headers, body, address, signal }: Exchange): Promise<SendOutcome> {
  const lookup: LookupFunction = (_host, options, done) => {
    const family = isIP(address);
    if (options.all === true) done(null, [{ address, family }]);
    else done(null, address, family);
  };
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const request = send(
      url,
      {
        method: 'POST',
        // Connections are not kept, because nothing says when the next message comes.
        agent: false,
        lookup,
        signal,
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        excerptOf(response).then((excerpt) => {
          resolve({ status: response.statusCode!, excerpt });
          request.destroy();
        }, reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** Reads the beginning of a response and leaves the rest. */
async function excerptOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part);
    bytes += part.length;
    if (bytes >= MAX_READ_BYTES) break;
  }
  // PostgreSQL stores no NUL, and lone surrogates have no UTF-8 form.
  const text = Buffer.concat(parts).toString().replaceAll('\0', '');
  return Buffer.from(text.slice(0, EXCERPT_LENGTH)).toString();
}

/** A name server may take longer than an attempt, and its answer cannot be aborted. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      reject(new Error('The attempt was ended.'));
    };
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', leave);
    });
  });
}

const isUnknownHost = (error: unknown): boolean =>
  ['ENOTFOUND', 'EAI_AGAIN', 'ENODATA'].includes((error as NodeJS.ErrnoException).code ?? '');
