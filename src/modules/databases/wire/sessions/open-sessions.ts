import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { GatewayMetrics } from '../../metrics/gateway.metrics.js';
import { sessionEnded, type WireRefusal } from '../protocol/wire-refusal.js';
import type { SessionKey, WireSession } from './wire-session.js';

/** Keys are two numbers of 32 bits. Some clients read the first as a signed one. */
const MAX_PROCESS_ID = 2 ** 31;
const MAX_SECRET = 2 ** 32;

/** The sessions of this host, and the keys that cancel their statements. */
@Injectable()
export class OpenSessions {
  private readonly sessions = new Set<WireSession>();
  private readonly byKey = new Map<string, WireSession>();

  constructor(private readonly metrics: GatewayMetrics) {}

  get all(): readonly WireSession[] {
    return [...this.sessions];
  }

  /**
   * A key of our own for each session: servers count their processes alike, so that theirs could be guessed, and could
   * be those of another database.
   */
  newKey(): SessionKey {
    return { processId: randomInt(1, MAX_PROCESS_ID), secret: randomInt(0, MAX_SECRET) };
  }

  /** Keeps the session until it ends. */
  async keep(session: WireSession, key: SessionKey): Promise<void> {
    this.sessions.add(session);
    this.byKey.set(textOf(key), session);
    this.metrics.connections(this.sessions.size);
    await session.ended;
    this.sessions.delete(session);
    this.byKey.delete(textOf(key));
    this.metrics.connections(this.sessions.size);
  }

  /** Cancels the statement of the session with this key, if there is one. `databaseId` limits it to that database. */
  async cancel(key: SessionKey, databaseId?: string): Promise<void> {
    const session = this.byKey.get(textOf(key));
    if (session === undefined || (databaseId !== undefined && session.access.databaseId !== databaseId)) return;
    await session.cancel();
  }

  endWhere(isOver: (session: WireSession) => boolean, refusal: WireRefusal = sessionEnded()): void {
    for (const session of this.all) if (isOver(session)) session.end(refusal);
  }
}

const textOf = ({ processId, secret }: SessionKey): string => `${processId} ${secret}`;
