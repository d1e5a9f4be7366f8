import { Injectable } from '@nestjs/common';

/** Notifies the relay of this process that messages were committed, so that they need not wait for its next poll. */
@Injectable()
export class OutboxBell {
  private wake: (() => void) | undefined;
  private rung = false;

  ring(): void {
    this.rung = true;
    this.wake?.();
  }

  /**
   * Resolves when the bell was rung since the last call, after `withinMs`, or when `signal` is aborted. It supports a
   * single relay.
   */
  async next(withinMs: number, signal: AbortSignal): Promise<void> {
    if (!this.rung && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          this.wake = undefined;
          resolve();
        };
        const timer = setTimeout(wake, withinMs);
        signal.addEventListener('abort', wake, { once: true });
        this.wake = wake;
      });
    }
    this.rung = false;
  }
}
