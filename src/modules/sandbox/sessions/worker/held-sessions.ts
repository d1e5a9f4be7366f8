import { Injectable } from '@nestjs/common';
import { DatabaseRetry } from '../../../../platform/database/database-retry.js';
import { Ids } from '../../../../platform/ids/ids.js';
import { WORKER_ID } from '../../../../platform/ids/platform.ids.js';
import { Log } from '../../../../platform/logging/log.js';
import { Clock } from '../../../../platform/time/clock.js';
import type { SessionEnd } from '../../domain/session-state.js';
import { SessionMetrics } from '../../metrics/session.metrics.js';
import { SandboxSessionsStore } from '../../persistence/sandbox-sessions.store.js';
import type { SessionProcess } from '../host/session-process.js';
import { type HeldFacts, HeldSession } from './held-session.js';
import { SessionRoom } from './session-room.js';

/** A worker that reports nothing for this long has lost its sessions. */
const ALIVE_FOR_MS = 20_000;

/** When a session ends like this, what runs in it costs nothing. */
const BY_PLATFORM: ReadonlySet<SessionEnd> = new Set(['worker_stopped', 'worker_lost']);
/** A program can bring these about. What runs has ended then, with an outcome. */
const BY_ITSELF: ReadonlySet<SessionEnd> = new Set(['out_of_memory', 'failed']);

/** The sessions of this worker, by id, and what their rows say about them. */
@Injectable()
export class HeldSessions {
  readonly workerId: string;
  private readonly held = new Map<string, HeldSession>();
  /** The rows are written in the order of what happened. */
  private readonly writing = new Map<string, Promise<void>>();

  constructor(
    private readonly room: SessionRoom,
    private readonly sessions: SandboxSessionsStore,
    private readonly databaseRetry: DatabaseRetry,
    private readonly metrics: SessionMetrics,
    private readonly clock: Clock,
    private readonly log: Log,
    ids: Ids,
  ) {
    this.workerId = ids.next(WORKER_ID);
    metrics.watch(() => {
      const frozen = [...this.held.values()].filter(({ isFrozen }) => isFrozen).length;
      return { awake: this.held.size - frozen, frozen };
    });
  }

  get all(): HeldSession[] {
    return [...this.held.values()];
  }

  find(id: string): HeldSession | undefined {
    return this.held.get(id);
  }

  /**
   * Holds a session that has started in the room that was taken for it. Returns false, and ends it, when it was ended
   * meanwhile.
   */
  async hold(facts: HeldFacts, process: SessionProcess): Promise<boolean> {
    const { id, orgId, memoryBytes } = facts;
    const now = this.clock.now();
    const awake = { status: 'awake', workerId: this.workerId, lastUsedAt: now } as const;
    const isLive = await this.sessions.change(id, awake, new Date(now.getTime() + ALIVE_FOR_MS)).catch(() => false);
    if (!isLive) {
      await process.end();
      this.room.free(memoryBytes, orgId);
      return false;
    }
    const session = new HeldSession(facts, process, (status) => {
      this.write(id, async () => {
        await this.sessions.change(id, { status, workerId: this.workerId, lastUsedAt: this.clock.now() });
      });
    });
    this.held.set(id, session);
    this.metrics.started(facts.language);
    void process.ended.then((reason) => this.end(id, reason === 'ended' ? 'failed' : reason));
    return true;
  }

  /** Ends a session. Its row has ended when this resolves, unless the database is unavailable. Safe to repeat. */
  async end(id: string, reason: SessionEnd): Promise<void> {
    const session = this.held.get(id);
    if (session === undefined) return;
    // From now on it is not found.
    this.held.delete(id);
    this.write(id, async () => {
      await this.databaseRetry.run(() => this.sessions.end(id, reason, this.clock.now()));
    });
    const written = this.writing.get(id);
    if (!BY_ITSELF.has(reason)) session.abandon(BY_PLATFORM.has(reason));
    try {
      await session.end();
    } catch (error) {
      this.log.error({ sessionId: id, error }, 'A sandbox session did not end.');
    }
    this.room.free(session.facts.memoryBytes, session.facts.orgId);
    this.metrics.ended(reason);
    await written;
  }

  /**
   * Reports that the sessions are alive, and ends those whose rows have ended meanwhile, as the rows say: what runs is
   * paid as far as it came when its owner has ended it, and is free when the platform has given it up.
   */
  async reportAlive(): Promise<void> {
    const ids = [...this.held.keys()];
    const live = new Set(await this.sessions.keepAlive(ids, new Date(this.clock.now().getTime() + ALIVE_FOR_MS)));
    const over = ids.filter((id) => !live.has(id));
    if (over.length === 0) return;
    const reasons = await this.sessions.endReasonsOf(over);
    await Promise.all(over.map((id) => this.end(id, reasons.get(id) ?? 'worker_lost')));
  }

  /** What is not written is not lost: the session is reported alive, or is given up. */
  private write(id: string, change: () => Promise<void>): void {
    const before = this.writing.get(id) ?? Promise.resolve();
    const writing = before.then(change).catch((error: unknown) => {
      this.log.debug({ sessionId: id, error }, 'The state of a sandbox session was not written.');
    });
    this.writing.set(id, writing);
    void writing.then(() => {
      if (this.writing.get(id) === writing) this.writing.delete(id);
    });
  }
}
