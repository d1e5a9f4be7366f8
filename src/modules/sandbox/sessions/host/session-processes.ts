import { Injectable } from '@nestjs/common';

import { Isolation } from '../../../../platform/isolation/isolation.js';
import { LiveSession } from './live-session.js';
import { SessionInside } from './session-inside.js';
import { type SessionProcess, type SessionStart } from './session-process.js';

const SAID_CHARACTERS = 2_000;

/** The sessions of this process. */
@Injectable()
export class SessionProcesses {
  private readonly inside: SessionInside;
  private readonly live = new Set<LiveSession>();
  private isClosed = false;

  constructor(private readonly isolation: Isolation) {
    this.inside = new SessionInside(isolation);
  }

  /** How many sessions live here. */
  get count(): number {
    return this.live.size;
  }

  /** False where nothing counts the memory of sockets: programs have none there, and the way out is one. */
  get canHaveEgress(): boolean {
    return this.isolation.countsSockets;
  }

  /**
   * Starts a session, which resolves when its interpreter waits for the first run.
   * @throws {Error} when it does not start; its message is for the log.
   */
  async start(spec: SessionStart): Promise<SessionProcess> {
    let said = '';
    const launch = await this.inside.specOf(spec, (text) => {
      if (said.length < SAID_CHARACTERS) said += `${text}\n`;
    });
    this.checkOpen();
    const session = new LiveSession(await this.isolation.launch(launch), {
      interpreter: this.inside.interpreterOf(spec.language).name,
      onBegin: spec.egress?.renew,
    });
    this.live.add(session);
    void session.ended.then(() => this.live.delete(session));
    try {
      this.checkOpen();
      await session.ready;
    } catch (error) {
      await session.end();
      throw new Error(`The session ${spec.id} did not start. ${said}`, { cause: error });
    }
    return session;
  }

  /** Ends every session, and starts no more. */
  async closeAll(): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.live].map((session) => session.end()));
  }

  private checkOpen(): void {
    if (this.isClosed) throw new Error('The sessions of this process are closed.');
  }
}
