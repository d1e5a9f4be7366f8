import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { TEMPLATE_MAP_DESCRIPTOR } from './bubblewrap.js';
import { ContainedChild, type ContainedParts } from './contained-child.js';
import { ForkedChild, type Forking } from './forks/forked-child.js';
import { type ForkEvents, type ForkRequest, TemplateMessages } from './forks/template-messages.js';
import { type IdRange } from './host-users.js';
import { IsolationDidNotStart, type ProcessesInside } from './isolation-spec.js';
import { type LentSocket } from './lent-socket.js';
import { childByInnerId, childOf } from './process-facts.js';
import { type LentParts } from './starter.js';

const SAID_LIMIT = 2_000;

export interface TemplateParts extends ContainedParts {
  readonly socket: LentSocket;
  readonly processes: ProcessesInside;
  /** The users that its forks may become; null where all are the service's own. */
  readonly users: readonly IdRange[] | null;
  /** What the program reads first. */
  readonly settings: object;
}

/** A program that has started, sees no work itself, and forks a process for each. */
export class IsolatedTemplate implements Forking {
  /** Resolves when nothing of it, and so of its forks, is left. */
  readonly gone: Promise<void>;

  private readonly inside: ContainedChild;
  private readonly messages: TemplateMessages;
  private program: number | null = null;
  private written = '';

  constructor(private readonly parts: TemplateParts) {
    this.inside = new ContainedChild(parts);
    this.inside.takesNoFaultFrom(0, TEMPLATE_MAP_DESCRIPTOR);
    this.messages = new TemplateMessages(this.inside.pipe(0), this.inside.pipe(1), parts.settings);
    this.inside.pipe(2).on('data', (chunk: Buffer) => {
      if (this.written.length < SAID_LIMIT) this.written += chunk.toString('utf8');
    });
    void this.inside.info.known.then(() => {
      this.mapUsers();
    });
    this.gone = this.inside.exited.then(async () => {
      await this.inside.empty();
      this.messages.end();
      this.inside.closePipes();
      await this.inside.cleanUp();
      parts.socket.remove();
    });
  }

  /** What its forks may start. */
  get processes(): ProcessesInside {
    return this.parts.processes;
  }

  /** False as soon as its end is noticed. */
  get isAlive(): boolean {
    return !this.inside.hasExited;
  }

  /** What it and its forks wrote to standard error before they got work, for the log. */
  get said(): string {
    return this.written.trim();
  }

  /** How many of its forks still run, or wait for their work. */
  get active(): number {
    return this.messages.active;
  }

  /**
   * Resolves when it can fork.
   * @throws {IsolationDidNotStart} when it ended, or took longer than `timeoutMs`, before that.
   */
  async started(timeoutMs: number): Promise<void> {
    const timeout = new AbortController();
    const outcome = await Promise.race([
      this.messages.ready.then(() => 'ready' as const),
      this.inside.exited.then(() => 'exited' as const),
      sleep(timeoutMs, 'late' as const, { signal: timeout.signal, ref: false }).catch(() => 'late' as const),
    ]);
    timeout.abort();
    if (outcome === 'ready') {
      this.program = childOf(this.inside.info.initPid);
      return;
    }
    await this.destroy();
    const { refusal } = this.inside;
    const late = outcome === 'late' ? `not ready after ${timeoutMs} ms.` : '';
    throw new IsolationDidNotStart([late, this.said, refusal].filter((text) => text !== '').join(' '));
  }

  /** Begins a fork; `Isolation.fork` calls it. */
  begin(parts: LentParts, request: Omit<ForkRequest, 'run'>): ForkedChild {
    return new ForkedChild({ ...parts, forking: this, socketPath: this.parts.socket.path, request });
  }

  fork(connected: Promise<unknown>, request: Omit<ForkRequest, 'run'>, events: ForkEvents): void {
    this.messages.fork(connected, request, events).catch(() => this.destroy());
  }

  childOnHost(pid: number): number | null {
    return this.program === null ? null : childByInnerId(this.program, pid);
  }

  /** Ends it and all of its forks. Resolves when nothing of them is left. */
  async destroy(): Promise<void> {
    this.inside.kill();
    await this.gone;
  }

  /** bubblewrap waits for this. Only the host, which is root then, may map more users than its own. */
  private mapUsers(): void {
    const { users } = this.parts;
    if (users === null) return;
    const directory = `/proc/${this.inside.info.initPid}`;
    const lines = users.map(({ first, count }) => `${first} ${first} ${count}`).join('\n');
    try {
      writeFileSync(`${directory}/setgroups`, 'deny');
      writeFileSync(`${directory}/uid_map`, lines);
      writeFileSync(`${directory}/gid_map`, lines);
      this.inside.pipe(TEMPLATE_MAP_DESCRIPTOR).end('\n');
    } catch (error) {
      this.written += String(error);
      this.inside.kill();
    }
  }
}
