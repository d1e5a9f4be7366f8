import { ServiceUnavailable } from '../errors/platform.errors.js';

interface Room {
  readonly atOnce: number;
  /** The default is as many as come. */
  readonly mostWaiting?: number;
}

/** Limits how many tasks run at once. Others wait in their order, up to a second limit if there is one. */
export class Turns {
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(private readonly room: Room) {}

  /** @throws {ServiceUnavailable} `service_unavailable`: too many tasks are waiting. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    await this.waitForTurn();
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      // The turn passes directly to the next task, so that a new one cannot take it in between.
      if (next === undefined) this.running -= 1;
      else next();
    }
  }

  private async waitForTurn(): Promise<void> {
    if (this.running < this.room.atOnce) {
      this.running += 1;
      return;
    }
    if (this.waiting.length >= (this.room.mostWaiting ?? Infinity))
      throw new ServiceUnavailable(new Error('Too many tasks are waiting for a turn.'));
    await new Promise<void>((resolve) => {
      this.waiting.push(resolve);
    });
  }
}
