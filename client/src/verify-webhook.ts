/** A message that was sent to a webhook endpoint. */
export interface WebhookMessage {
  /** The same for every attempt and replay, to recognize a message that was already handled. */
  readonly id: string;
  readonly type: string;
  /** When it happened. */
  readonly timestamp: string;
  readonly org_id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A request as your server received it. */
export interface ReceivedWebhook {
  /** The secret of the endpoint, `whsec_…`. */
  readonly secret: string;
  /** The headers of the request, as `fetch` or Node have them. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body as it was received. A body that was parsed and written again has another signature. */
  readonly body: string;
  /** The oldest and the newest time to accept, in seconds from now. Default 300. */
  readonly toleranceSeconds?: number;
}

/** The request was not sent by the service, or is too old. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/**
 * Checks the signature of a webhook (Standard Webhooks) and returns its message. Works in Node and browsers.
 *
 * @throws {WebhookVerificationError}
 */
export async function verifyWebhook(received: ReceivedWebhook): Promise<WebhookMessage> {
  const { secret, headers, body, toleranceSeconds = 300 } = received;
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  if (!/^\d{1,12}$/.test(timestamp) || !(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds))
    throw new WebhookVerificationError('The time of the webhook is wrong or too long ago.');
  const key = await crypto.subtle.importKey(
    'raw',
    bytesOf(secret.replace(/^whsec_/, '')),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  );
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const signature of headerOf(headers, 'webhook-signature').split(' ')) {
    if (!signature.startsWith('v1,')) continue;
    if (await crypto.subtle.verify('HMAC', key, bytesOf(signature.slice(3)), content))
      return JSON.parse(body) as WebhookMessage;
  }
  throw new WebhookVerificationError('No signature of the webhook matches.');
}

function headerOf(headers: ReceivedWebhook['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`The header ${name} is missing.`);
  return value;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    throw new WebhookVerificationError('The secret or the signature is not base64.');
  }
}
