import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { CheckedRequests } from '../../../platform/egress/checked-requests.js';
import type { LiveSpan } from '../../../platform/tracing/live-span.js';
import { Tracing } from '../../../platform/tracing/tracing.js';
import { publicTargetOf } from '../../../platform/egress/public-target.js';
import { WebhooksSettings } from '../webhooks.settings.js';

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
 * Sends webhooks to receivers of tenants, and only to addresses that were checked. Redirects are not followed, and only
 * the beginning of a response is read.
 */
@Injectable()
export class WebhookSender {
  constructor(
    private readonly settings: WebhooksSettings,
    private readonly requests: CheckedRequests,
    private readonly tracing: Tracing,
  ) {}

  /** Never throws. The time limit covers the whole attempt. */
  send(webhook: OutgoingWebhook, stopping: AbortSignal): Promise<SendOutcome> {
    const attributes = { 'http.request.method': 'POST' };
    return this.tracing.span('webhook', { kind: 'client', attributes }, async (span) => {
      const outcome = await this.attempt(webhook, stopping);
      note(span, outcome);
      return outcome;
    });
  }

  private async attempt({ url, headers, body }: OutgoingWebhook, stopping: AbortSignal): Promise<SendOutcome> {
    const target = publicTargetOf(url, { trusted: this.settings.trustedHosts });
    if (target === undefined) return { error: 'refused_url' };
    const late = AbortSignal.timeout(TIMEOUT_MS);
    const signal = AbortSignal.any([late, stopping]);
    const sent = await this.requests.send(target, { method: 'POST', headers, body, signal });
    if ('answer' in sent) {
      try {
        return { status: sent.answer.statusCode!, excerpt: await excerptOf(sent.answer) };
      } catch {
        return { error: late.aborted ? 'timed_out' : 'connection_failed' };
      } finally {
        sent.answer.destroy();
      }
    }
    if (late.aborted) return { error: 'timed_out' };
    const { fault } = sent;
    return { error: fault === 'private_address' || fault === 'unknown_host' ? fault : 'connection_failed' };
  }
}

/** The address and the response are the receiver's. */
function note(span: LiveSpan, outcome: SendOutcome): void {
  if ('error' in outcome) {
    span.fail(outcome.error);
    return;
  }
  span.set({ 'http.response.status_code': outcome.status });
  if (outcome.status >= 400) span.fail(String(outcome.status));
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
