/** Another run did not end in time. */
export class TurnNotReached extends Error {}

/** Runs of one session may wait for each other; more than this many are refused at once. */
const MAX_WAITING = 16;

interface Waiting {
  readonly begin: () => void;
}

/** Lets one piece of work happen at a time, in the order in which they came. */
export class SessionTurns {
  private readonly waiting: Waiting[] = [];
  private isTaken = false;

  /** True when as many wait as may. */
  get isFull(): boolean {
    return this.waiting.length >= MAX_WAITING;
  }

  /**
   * @throws {TurnNotReached} when the turn does not come within the time, or too many wait.
   * @throws the reason of `signal` when it is aborted before the turn.
   */
  async take<T>(withinMs: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.isTaken) await this.wait(withinMs, signal);
    this.isTaken = true;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.isTaken = false;
      else next.begin();
    }
  }

  private wait(withinMs: number, signal: AbortSignal): Promise<void> {
    if (this.isFull) throw new TurnNotReached();
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(late);
        signal.removeEventListener('abort', leave);
      };
      const turn: Waiting = {
        begin: () => {
          settle();
          resolve();
        },
      };
      const refuse = (error: Error): void => {
        settle();
        this.waiting.splice(this.waiting.indexOf(turn), 1);
        reject(error);
      };
      const leave = (): void => {
        refuse(signal.reason as Error);
      };
      const late = setTimeout(
        () => {
          refuse(new TurnNotReached());
        },
        Math.max(0, withinMs),
      );
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.push(turn);
    });
  }
}
