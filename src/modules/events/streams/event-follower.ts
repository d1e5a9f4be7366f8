import { Injectable } from '@nestjs/common';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { OrgOfPath } from '../../orgs/org-of-path.js';
import { SCOPE_OF_EVENT } from '../event-types.js';
import { EventsStore, type StoredEvent } from '../persistence/events.store.js';
import { EventSignals } from './event-signals.js';
import { OpenEventStreams } from './open-event-streams.js';

const BATCH = 100;
const MAX_OF_ORG = 20;
/** The longest delay that a lost signal can cause. */
const POLL_EVERY_MS = 5_000;
/** A stream ends after this time, so that the next request shows whether the caller may still follow. */
const LIFETIME_MS = 300_000;

/** New events, possibly none, or the number to continue after. */
export type EventNews = { readonly events: readonly StoredEvent[] } | { readonly end: { readonly after: number } };

interface Following {
  readonly orgIdOrSlug: string;
  /** Undefined starts with what happens from now on. */
  readonly after: number | undefined;
  readonly signal: AbortSignal;
}

/** Follows what happens in an organization. */
@Injectable()
export class EventFollower {
  constructor(
    private readonly orgs: OrgOfPath,
    private readonly events: EventsStore,
    private readonly signals: EventSignals,
    private readonly streams: OpenEventStreams,
    private readonly shutdown: Shutdown,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens a stream of the events that the caller may see. It must be read to its end, or its `signal` aborted.
   *
   * @throws {OrganizationNotFound} `organization_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {TooManyStreams} `concurrency_limit_exceeded`
   */
  async open(call: Call, { orgIdOrSlug, after, signal }: Following): Promise<AsyncGenerator<EventNews>> {
    const { id: orgId } = this.orgs.require(call, orgIdOrSlug, 'orgs:read');
    const rights = call.principal.rightsIn(orgId);
    const free = this.streams.take(orgId, MAX_OF_ORG);
    try {
      const from = after ?? (await this.events.lastSeq(orgId));
      return this.follow(orgId, { from, signal, free, sees: ({ type }) => rights.has(SCOPE_OF_EVENT[type]) });
    } catch (error) {
      free();
      throw error;
    }
  }

  private async *follow(
    orgId: string,
    {
      from,
      signal,
      free,
      sees,
    }: { from: number; signal: AbortSignal; free: () => void; sees: (event: StoredEvent) => boolean },
  ): AsyncGenerator<EventNews> {
    try {
      const endsAt = this.clock.now().getTime() + LIFETIME_MS;
      let after = from;
      while (!signal.aborted && !this.shutdown.isDraining) {
        if (this.clock.now().getTime() >= endsAt) {
          yield { end: { after } };
          return;
        }
        // The signal is set up before the events are read, so that none is missed that happens meanwhile.
        const notified = this.signals.next(orgId, POLL_EVERY_MS, signal);
        const events = await this.events.after(orgId, after, BATCH);
        after = events.at(-1)?.seq ?? after;
        yield { events: events.filter(sees) };
        if (events.length < BATCH) await notified;
      }
    } finally {
      free();
    }
  }
}
