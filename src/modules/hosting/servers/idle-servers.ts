import { Injectable } from '@nestjs/common';
import { HostingSettings } from '../hosting.settings.js';
import { Log } from '../../../platform/logging/log.js';
import type { AppServer } from './app-server.js';

/** A server runs at most a twelfth longer than its time, and never longer than this. */
const LONGEST_LOOK_MS = 5_000;
const LOOKS_IN_TIME = 12;

/** Freezes and stops servers that receive no requests, after the times that the operator has set. */
@Injectable()
export class IdleServers {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly settings: HostingSettings,
    private readonly log: Log,
  ) {}

  /** Checks the servers periodically until {@link close}. Further calls change nothing. */
  watch(servers: () => Iterable<AppServer>): void {
    const { freezeAfterMs, stopAfterMs } = this.settings;
    const everyMs = Math.min(LONGEST_LOOK_MS, Math.min(freezeAfterMs, stopAfterMs) / LOOKS_IN_TIME);
    this.timer ??= setInterval(() => {
      for (const server of servers()) {
        if (server.idleMs > stopAfterMs) this.quietly(server.retire());
        else if (server.idleMs > freezeAfterMs) this.quietly(server.freeze());
      }
    }, everyMs).unref();
  }

  close(): void {
    clearInterval(this.timer);
  }

  private quietly(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.log.error({ error }, 'An idle server of an app could not be frozen or stopped.');
    });
  }
}
