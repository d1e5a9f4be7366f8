import { Injectable } from '@nestjs/common';
import { PublicFetch } from '../../platform/egress/public-fetch.js';
import { ProviderUnavailable } from './identity-provider.js';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 262_144;

interface ProviderRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: { readonly form: Readonly<Record<string, string>> } | { readonly json: object };
  /** Hosts such as `sso.internal:443` that the operator trusts. They may be private and use plain HTTP. */
  readonly trusted: readonly string[];
}

export interface ProviderResponse {
  readonly status: number;
  /** Parsed JSON; undefined for an empty body. */
  readonly body: unknown;
}

/** Calls providers, within limits of time and size and without following redirects. */
@Injectable()
export class ProviderHttp {
  constructor(private readonly publicFetch: PublicFetch) {}

  /** @throws {ProviderUnavailable} no answer, a status of 500 or more, or a body that is no JSON. */
  async call({ url, method = 'GET', headers = {}, body, trusted }: ProviderRequest): Promise<ProviderResponse> {
    const { host } = new URL(url);
    const answer = await this.publicFetch.fetch({
      url,
      method,
      headers: { accept: 'application/json', 'user-agent': 'service-platform', ...typeOf(body), ...headers },
      body: textOf(body),
      trusted,
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      maxRedirects: 0,
    });
    if ('fault' in answer) throw new ProviderUnavailable(`${host} did not answer: ${answer.fault}.`);
    if (answer.status >= 500 || answer.isCut) throw new ProviderUnavailable(`${host} answered ${answer.status}.`);
    return { status: answer.status, body: parsed(answer.bytes, host) };
  }
}

/** The host of a URL with its port, as rules of outgoing requests name what is trusted. */
export function placeOf(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  return `${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`;
}

function typeOf(body: ProviderRequest['body']): Record<string, string> {
  if (body === undefined) return {};
  return { 'content-type': 'form' in body ? 'application/x-www-form-urlencoded' : 'application/json' };
}

function textOf(body: ProviderRequest['body']): string | undefined {
  if (body === undefined) return undefined;
  return 'form' in body ? new URLSearchParams(body.form).toString() : JSON.stringify(body.json);
}

function parsed(bytes: Buffer, host: string): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new ProviderUnavailable(`${host} answered with a body that is no JSON.`);
  }
}
