import { Injectable } from '@nestjs/common';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import {
  type AppLogLine,
  type AppLogRequest,
  type AppLogScope,
  AppLogStore,
  type NewAppLogLine,
} from '../persistence/app-log.store.js';
import { levelOf } from './log-level.js';

const KEPT_LINES = 2_000;
const MAX_LENGTH = 4_096;
/** The lines of one deploy between two writes: the limit of its output, and a few of the platform. */
const MAX_WAITING = 1_200;
const WRITE_EVERY_MS = 500;

/** Collects the output of app servers and writes it to the database in batches. The last lines of a deploy are kept. */
@Injectable()
export class AppLogs {
  private waiting: NewAppLogLine[] = [];
  private readonly counts = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private isWriting = false;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: AppLogStore,
    private readonly clock: Clock,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('queues', () => this.flush());
  }

  add(deployId: string, stream: AppLogLine['stream'], text: string): void {
    const count = (this.counts.get(deployId) ?? 0) + 1;
    this.counts.set(deployId, count);
    if (count > MAX_WAITING + 1) return;
    const line =
      count > MAX_WAITING
        ? { stream: 'system' as const, text: 'Lines were dropped: the server printed too many at once.' }
        : { stream, text: clean(text) };
    this.waiting.push({ deployId, at: this.clock.now(), level: levelOf(line.stream, line.text), ...line });
    this.schedule();
  }

  async read(scope: AppLogScope, request: AppLogRequest): Promise<AppLogLine[]> {
    await this.flush();
    return this.store.read(scope, request);
  }

  private schedule(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      // While the database is slow, lines wait within their limit instead of a growing queue of writes.
      if (this.isWriting) this.schedule();
      else void this.flush();
    }, WRITE_EVERY_MS).unref();
  }

  private flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const lines = this.waiting;
    this.waiting = [];
    this.counts.clear();
    if (lines.length > 0) this.writing = this.writing.then(() => this.write(lines));
    return this.writing;
  }

  private async write(lines: readonly NewAppLogLine[]): Promise<void> {
    this.isWriting = true;
    try {
      await this.store.add(lines, KEPT_LINES);
    } catch (error) {
      this.log.warn({ error, lines: lines.length }, 'Lost log lines of apps.');
    } finally {
      this.isWriting = false;
    }
  }
}

/** Removes NUL, which PostgreSQL cannot store in a text, and control sequences of terminals. */
const clean = (text: string): string =>
  text
    .slice(0, MAX_LENGTH)
    .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '');
