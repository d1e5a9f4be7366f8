import type { Redis } from 'ioredis';

/** An acknowledgement takes a round trip between the servers. A caller that waits must hear soon that none came. */
const CONFIRM_WITHIN_MS = 500;
const KEY = 'replicas:confirmed';
const KEPT_SECONDS = 60;

/**
 * Lets replicas confirm what was written. Replication is asynchronous: a primary that dies takes with it what it has
 * acknowledged and not sent on.
 *
 * The question has a connection of its own, because `WAIT` holds up all commands after it. It asks for a write of that
 * connection, which replicas have only with all earlier ones. One question serves all writes before it.
 */
export class ReplicaConfirmations {
  private asking: Promise<string> | undefined;
  private following: Promise<string> | undefined;

  constructor(
    private readonly writer: Redis,
    private readonly asker: Redis,
    private readonly replicas: number,
  ) {}

  /**
   * Runs `write`, which writes by the connection `writer`, and resolves when the replicas have it.
   * @throws {Error} when they do not confirm it, or the primary has changed meanwhile. It may have been written
   *   nevertheless.
   */
  async of<Answer>(write: () => Promise<Answer>): Promise<Answer> {
    const { stream } = this.writer;
    const answer = await write();
    const confirmedBy = await this.ask();
    // A new primary confirms for itself, and perhaps never saw the write.
    if (this.writer.stream !== stream || serverOf(this.writer) !== confirmedBy) throw unconfirmed();
    return answer;
  }

  /** A question under way may have been sent before the caller's write, so that the next one answers. */
  private ask(): Promise<string> {
    this.following ??= this.next();
    return this.following;
  }

  private async next(): Promise<string> {
    await this.asking?.catch(() => undefined);
    this.asking = this.following;
    this.following = undefined;
    const { stream } = this.asker;
    const answers = await this.asker
      .pipeline()
      .set(KEY, '1', 'EX', KEPT_SECONDS)
      .wait(this.replicas, CONFIRM_WITHIN_MS)
      .exec();
    for (const [error] of answers ?? []) if (error !== null) throw error;
    if (Number(answers?.[1]?.[1]) < this.replicas || this.asker.stream !== stream) throw unconfirmed();
    return serverOf(this.asker);
  }
}

const unconfirmed = (): Error => new Error('Redis did not confirm a write: its replicas do not have it yet.');

const serverOf = ({ stream }: Redis): string => {
  const { remoteAddress, remotePort } = stream as Partial<Redis['stream']> & { remotePort?: number };
  return `${remoteAddress} ${remotePort}`;
};
