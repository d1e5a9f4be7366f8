import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Outbox } from '../../platform/outbox/outbox.js';
import { Clock } from '../../platform/time/clock.js';
import { GithubClient } from './client/github-client.js';
import { eventOf } from './deliveries/event-of.js';
import { SignatureInvalid } from './github.errors.js';
import { GITHUB_EVENTS, githubEvent } from './github-event.job.js';
import { type DeliveryOutcome, GithubMetrics } from './metrics/github.metrics.js';
import { GithubInstallationsStore } from './persistence/github-installations.store.js';

const SIGNATURE = /^sha256=([0-9a-f]{64})$/;
const DELIVERY = /^[A-Za-z0-9-]{1,100}$/;
const KEPT_MS = 30 * 86_400_000;

export interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly signature: string;
  /** The raw bytes of the body, which the signature covers. */
  readonly body: Buffer;
}

/**
 * Receives the deliveries of GitHub. A worker processes them, because GitHub waits only ten seconds and does not retry
 * by itself.
 */
@Injectable()
export class GithubDeliveries {
  constructor(
    private readonly github: GithubClient,
    private readonly database: Database,
    private readonly store: GithubInstallationsStore,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    private readonly metrics: GithubMetrics,
  ) {}

  /**
   * Checks the headers before the body is read.
   *
   * @throws {SignatureInvalid} `invalid_signature`
   * @throws {GithubNotConfigured} `integration_not_configured`
   */
  requireHeaders({ id, signature }: Pick<Delivery, 'id' | 'signature'>): void {
    this.github.requireConfigured();
    if (!SIGNATURE.test(signature) || !DELIVERY.test(id)) throw this.refused();
  }

  /**
   * Queues the event of the delivery before it resolves. A repeated delivery is processed once.
   *
   * @throws {SignatureInvalid} `invalid_signature`
   */
  async take(delivery: Delivery): Promise<DeliveryOutcome> {
    if (!isSigned(delivery, this.github.app.webhookSecret)) throw this.refused();
    const outcome = await this.queue(delivery);
    this.metrics.delivered(GITHUB_EVENTS.find((known) => known === delivery.event) ?? 'other', outcome);
    return outcome;
  }

  /** Deletes the deliveries that GitHub cannot send again. */
  forgetOld(): Promise<void> {
    return this.store.forgetDeliveries(new Date(this.clock.now().getTime() - KEPT_MS));
  }

  private queue({ id, event: name, body }: Delivery): Promise<DeliveryOutcome> {
    const event = eventOf(name, parsed(body));
    if (event === null) return Promise.resolve('ignored');
    return this.database.transaction(async () => {
      if (!(await this.store.takeDelivery(id, this.clock.now()))) return 'repeated';
      await this.outbox.publish(githubEvent, event);
      return 'accepted';
    });
  }

  private refused(): SignatureInvalid {
    this.metrics.delivered('other', 'refused');
    return new SignatureInvalid();
  }
}

function isSigned({ body, signature }: Delivery, secret: string): boolean {
  const [, hex = ''] = SIGNATURE.exec(signature) ?? [];
  const expected = createHmac('sha256', secret).update(body).digest();
  const shown = Buffer.from(hex, 'hex');
  return shown.length === expected.length && timingSafeEqual(shown, expected);
}

/** A body that is not JSON is ignored, like null. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return null;
  }
}
