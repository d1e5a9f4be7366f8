import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { ACCEPTED_ENCODINGS, type BodyBytes, BoundedBody } from './bounded-body.js';
import { type CheckedRequestFault, CheckedRequests } from './checked-requests.js';
import { isListedHost } from './listed-hosts.js';
import { type PublicTarget, publicTargetOf } from './public-target.js';

const MAX_REDIRECTS = 5;
const MAX_BYTES = 5 * 1_048_576;
const TIMEOUT_MS = 30_000;
const MAX_URL_LENGTH = 4_000;
const USUAL_CREDENTIALS = ['authorization', 'cookie', 'proxy-authorization'];

/** Redirects after which a request goes on as a GET without a body, as browsers do it. */
const becomesGet = (status: number, method: string): boolean =>
  status === 303 ? method !== 'HEAD' : (status === 301 || status === 302) && method === 'POST';

export interface PublicRequest {
  readonly url: string;
  readonly method: string;
  /** Sent to every host that a redirect leads to. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers for the origin of `url` alone: a redirect to another one drops them. */
  readonly credentials?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Names such as `api.example.com` and `*.example.org`. Undefined allows every public host. */
  readonly hosts?: readonly string[] | undefined;
  /** Hosts that the operator trusts: they may be private. They must be in `hosts` all the same, if it is set. */
  readonly trusted: readonly string[];
  readonly allowsPlainHttp?: boolean;
  /** The most that is read of the decompressed body. The default is 5 MiB. */
  readonly maxBytes?: number;
  /** The default is 5. With 0, a redirect fails. */
  readonly maxRedirects?: number;
  /** The time for everything, with redirects and the body. The default is 30 seconds. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

type PublicFetchFault =
  | CheckedRequestFault
  /** The URL, or one that a redirect leads to, is none that may be requested. */
  | 'refused_url'
  | 'too_many_redirects'
  | 'timed_out'
  /** The body broke off, or is not encoded as it says. */
  | 'bad_body';

export interface PublicFailure {
  readonly fault: PublicFetchFault;
  /** True when a server may have received the request, so that it may have had an effect. */
  readonly mayHaveArrived: boolean;
}

/** The head of an answer. */
export interface PublicHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Where it came from, after redirects. */
  readonly url: string;
}

export interface OpenAnswer extends PublicHead {
  /** To be read or closed. Reading throws when the body breaks off. */
  readonly body: BoundedBody;
  readonly close: () => void;
}

interface Hop {
  readonly target: PublicTarget;
  readonly method: string;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Requests addresses that tenants choose. Each redirect is checked as the first address is, and nothing private is
 * ever connected to. What a server does wrong is an outcome and not an error.
 */
@Injectable()
export class PublicFetch {
  constructor(private readonly requests: CheckedRequests) {}

  /** Reads the whole body, up to the limit. Never throws. */
  async fetch(request: PublicRequest): Promise<(PublicHead & BodyBytes) | PublicFailure> {
    const late = AbortSignal.timeout(request.timeoutMs ?? TIMEOUT_MS);
    const opened = await this.openUntil(request, late);
    if ('fault' in opened) return opened;
    const { body, status, headers, url } = opened;
    try {
      return { status, headers, url, ...(await body.read()) };
    } catch {
      return failure(late.aborted ? 'timed_out' : request.signal?.aborted === true ? 'aborted' : 'bad_body', true);
    }
  }

  /** Returns as soon as the head is there. The time limit covers the body too. Never throws. */
  open(request: PublicRequest): Promise<OpenAnswer | PublicFailure> {
    return this.openUntil(request, AbortSignal.timeout(request.timeoutMs ?? TIMEOUT_MS));
  }

  private async openUntil(request: PublicRequest, late: AbortSignal): Promise<OpenAnswer | PublicFailure> {
    const signal = request.signal === undefined ? late : AbortSignal.any([late, request.signal]);
    const target = targetOf(request.url, request);
    if (target === undefined) return failure('refused_url', false);
    let hop: Hop = { target, method: request.method, body: request.body, headers: headersOf(request) };
    let mayHaveArrived = false;
    for (let redirects = 0; redirects <= (request.maxRedirects ?? MAX_REDIRECTS); redirects++) {
      const sent = await this.requests.send(hop.target, { ...hop, signal });
      if ('fault' in sent)
        return failure(late.aborted ? 'timed_out' : sent.fault, mayHaveArrived || sent.mayHaveArrived);
      mayHaveArrived = true;
      const { answer } = sent;
      const location = redirectOf(answer);
      if (location === undefined) return opened(answer, hop, request.maxBytes ?? MAX_BYTES);
      answer.destroy();
      const next = nextHop(hop, location, answer.statusCode!, request);
      if (next === undefined) return failure('refused_url', true);
      hop = next;
    }
    return failure('too_many_redirects', true);
  }
}

const failure = (fault: PublicFetchFault, mayHaveArrived: boolean): PublicFailure => ({ fault, mayHaveArrived });

function opened(answer: IncomingMessage, { target }: Hop, maxBytes: number): OpenAnswer {
  const close = (): void => {
    answer.destroy();
  };
  // An answer that is closed or breaks off before it is read would end the process otherwise.
  answer.on('error', close);
  const body = new BoundedBody(answer, maxBytes);
  return { status: answer.statusCode!, headers: answer.headers, url: target.url.href, body, close };
}

function targetOf(url: string, request: PublicRequest): PublicTarget | undefined {
  const { trusted, allowsPlainHttp = false, hosts } = request;
  const target = publicTargetOf(url, { trusted, allowsPlainHttp, maxLength: MAX_URL_LENGTH });
  if (target === undefined || hosts === undefined) return target;
  return isListedHost(target.url, hosts) ? target : undefined;
}

const headersOf = ({ headers, credentials }: PublicRequest): Record<string, string> => ({
  'accept-encoding': ACCEPTED_ENCODINGS,
  ...headers,
  ...credentials,
});

function redirectOf({ statusCode, headers: { location } }: IncomingMessage): string | undefined {
  return [301, 302, 303, 307, 308].includes(statusCode!) ? location : undefined;
}

/** Undefined when the redirect leads to where nothing may be sent. */
function nextHop(from: Hop, location: string, status: number, request: PublicRequest): Hop | undefined {
  if (!URL.canParse(location, from.target.url.href)) return undefined;
  const url = new URL(location, from.target.url);
  const target = targetOf(url.href, request);
  if (target === undefined) return undefined;
  const isGet = becomesGet(status, from.method);
  const leaves = url.origin !== from.target.url.origin;
  const secret = [...USUAL_CREDENTIALS, ...Object.keys(request.credentials ?? {})];
  const dropped = new Set(leaves ? secret.map((name) => name.toLowerCase()) : []);
  if (isGet) dropped.add('content-type');
  const headers = Object.fromEntries(Object.entries(from.headers).filter(([name]) => !dropped.has(name.toLowerCase())));
  return { target, headers, method: isGet ? 'GET' : from.method, body: isGet ? undefined : from.body };
}
