import type { SendOutcome } from '../deliveries/webhook-sender.js';

export const ENDPOINT_STATES = ['active', 'paused'] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

export const PAUSE_REASONS = ['asked', 'failing', 'gone'] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** A receiver of an organization. Its secrets are encrypted. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly orgId: string;
  readonly url: string;
  readonly description: string;
  /** Empty means all types. */
  readonly types: readonly string[];
  readonly state: EndpointState;
  readonly pauseReason: PauseReason | null;
  readonly secret: Buffer;
  /** The secret before the last rotation, which signs beside the new one until `previousUntil`. */
  readonly previousSecret: Buffer | null;
  readonly previousUntil: Date | null;
  /** When the first attempt failed since the last success. */
  readonly failingSince: Date | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const DELIVERY_STATES = ['pending', 'succeeded', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export type DeliveryError = Extract<SendOutcome, { error: string }>['error'] | 'bad_status' | 'endpoint_paused';

/** A message to an endpoint, with how its last attempt ended. */
export interface WebhookDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly orgId: string;
  readonly eventId: string;
  readonly type: string;
  /** The body as it is signed and sent. */
  readonly body: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly nextAt: Date;
  readonly replayOf: string | null;
  readonly status: number | null;
  readonly error: DeliveryError | null;
  readonly excerpt: string | null;
  readonly durationMs: number | null;
  readonly createdAt: Date;
  readonly lastAt: Date | null;
}
