import { ServiceUnavailable } from '../../../platform/errors/platform.errors.js';

interface Room {
  readonly atOnce: number;
  readonly mostWaiting: number;
}

/** Lets so many pieces of work run at once; so many others wait for their turn, in the order that they came. */
export class Turns {
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(private readonly room: Room) {}

  /** @throws {ServiceUnavailable} `service_unavailable`: too many wait already. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    await this.myTurn();
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      // A turn is handed on: nobody who comes in between may take it.
      if (next === undefined) this.running -= 1;
      else next();
    }
  }

  private async myTurn(): Promise<void> {
    if (this.running < this.room.atOnce) {
      this.running += 1;
      return;
    }
    if (this.waiting.length >= this.room.mostWaiting)
      throw new ServiceUnavailable(new Error('Too much waits for its turn.'));
    await new Promise<void>((resolve) => {
      this.waiting.push(resolve);
    });
  }
}
