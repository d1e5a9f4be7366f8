import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { Log } from '../logging/log.js';
import { type Correlation, RequestContext } from '../logging/request-context.js';
import { RedisConnections } from './redis-connections.js';

/** The largest body of a call or an answer. */
const MAX_BYTES = 9 * 1_048_576;
/** A larger body waits in a key of its own: Redis disconnects subscribers that are sent too much at once. */
const INLINE_BYTES = 65_536;
const LOOK_EVERY_MS = 1_000;
/** A process that restarts its connection does not listen for a moment. */
const LOOKS_UNTIL_GONE = 3;
/** The time that a stored answer waits for its caller. */
const ANSWER_KEPT_MS = 30_000;

/** No process answers at the address, or the one that did is gone. */
export class CallUnreachable extends Error {
  constructor(
    address: string,
    /** True when a process had received the call. It may have done the work. */
    readonly wasReceived: boolean,
  ) {
    super(`No process answers calls to ${address}.`);
  }
}

/** There was no answer in time. The process is asked to end the work. */
export class CallUnanswered extends Error {}

/** The process that answers calls failed at this one. */
export class CallFailed extends Error {}

export interface CallTo {
  readonly address: string;
  readonly body: Buffer;
  /** The time within which the answer must arrive. */
  readonly withinMs: number;
  /** Ends the wait and the work. */
  readonly signal?: AbortSignal | undefined;
}

/** Does the work of a call. `signal` is aborted when nobody waits for the answer any longer. */
export type Answerer = (body: Buffer, signal: AbortSignal) => Promise<Buffer>;

interface Head {
  readonly kind: 'call' | 'abort' | 'answer' | 'failure';
  readonly id: string;
  /** The channel of the caller. */
  readonly from?: string;
  readonly withinMs?: number;
  /** True when the body is in a key of its own. */
  readonly isStored?: boolean;
  /** The request of the caller, for log lines and traces. */
  readonly correlation?: Correlation | undefined;
}

interface Waiter {
  readonly resolve: (body: Buffer) => void;
  readonly reject: (error: Error) => void;
}

const channelOf = (address: string): string => `calls:${address}`;
const keyOf = (id: string, kind: 'call' | 'answer'): string => `call-body:${kind}:${id}`;

/**
 * Calls a function of one certain process and waits for its answer, for work that only this process can do because it
 * holds what the work is about. Each address must be answered by one process.
 */
@Injectable()
export class RedisCalls {
  private readonly answerers = new Map<string, Answerer>();
  private readonly waiters = new Map<string, Waiter>();
  private readonly working = new Map<string, AbortController>();
  private readonly own = `calls:answers:${randomUUID()}`;
  private subscriber: Redis | undefined;
  private listening: Promise<unknown> | undefined;

  constructor(
    private readonly redis: RedisConnections,
    private readonly context: RequestContext,
    private readonly log: Log,
  ) {}

  /** Answers the calls to an address, from the moment that this resolves. */
  async answer(address: string, answerer: Answerer): Promise<void> {
    this.answerers.set(channelOf(address), answerer);
    await this.connection().subscribe(channelOf(address));
  }

  /** Takes no further calls to the address. Those that were taken are still answered. */
  async stop(address: string): Promise<void> {
    this.answerers.delete(channelOf(address));
    if (this.redis.isUp) await this.connection().unsubscribe(channelOf(address));
  }

  /**
   * @throws {CallUnreachable} when no process listens, or the one that has the call stops to listen.
   * @throws {CallUnanswered} when the time is over.
   * @throws {CallFailed} when the work failed.
   * @throws the reason of `signal` when it is aborted.
   */
  async call({ address, body, withinMs, signal }: CallTo): Promise<Buffer> {
    signal?.throwIfAborted();
    const id = randomUUID();
    const channel = channelOf(address);
    const { answered, forget } = this.waitFor(id, { channel, withinMs, signal });
    try {
      await Promise.race([this.listen(), answered]);
      const head = { kind: 'call', id, from: this.own, withinMs, correlation: this.context.current } as const;
      if ((await this.send(channel, head, body, withinMs)) === 0) throw new CallUnreachable(address, false);
      return await answered;
    } catch (error) {
      if (error instanceof CallUnanswered || signal?.aborted === true)
        await this.send(channel, { kind: 'abort', id }).catch(() => undefined);
      throw error;
    } finally {
      forget();
    }
  }

  private waitFor(
    id: string,
    { channel, withinMs, signal }: { channel: string; withinMs: number; signal: AbortSignal | undefined },
  ): { answered: Promise<Buffer>; forget: () => void } {
    let forget = (): void => undefined;
    const answered = new Promise<Buffer>((resolve, reject) => {
      const late = setTimeout(() => {
        reject(new CallUnanswered(`No answer within ${withinMs} ms.`));
      }, withinMs);
      let missed = 0;
      const look = setInterval(() => {
        void this.isListening(channel).then((isThere) => {
          missed = isThere ? 0 : missed + 1;
          if (missed === LOOKS_UNTIL_GONE) reject(new CallUnreachable(channel, true));
        });
      }, LOOK_EVERY_MS);
      const leave = (): void => {
        reject(signal!.reason as Error);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.waiters.set(id, { resolve, reject });
      forget = (): void => {
        clearTimeout(late);
        clearInterval(look);
        signal?.removeEventListener('abort', leave);
        this.waiters.delete(id);
      };
    });
    // It may be rejected while the call is still being sent.
    answered.catch(() => undefined);
    return { answered, forget };
  }

  /** While Redis is unavailable, the process counts as there. */
  private async isListening(channel: string): Promise<boolean> {
    try {
      const [, count] = (await this.redis.producer().pubsub('NUMSUB', channel)) as [string, number];
      return count > 0;
    } catch {
      return true;
    }
  }

  private connection(): Redis {
    if (this.subscriber === undefined) {
      this.subscriber = this.redis.blocking();
      this.subscriber.on('messageBuffer', (channel: Buffer, message: Buffer) => {
        void this.receive(channel.toString(), message);
      });
    }
    return this.subscriber;
  }

  private async listen(): Promise<void> {
    this.listening ??= this.connection().subscribe(this.own);
    try {
      await this.listening;
    } catch (error) {
      this.listening = undefined;
      throw error;
    }
  }

  private async receive(channel: string, message: Buffer): Promise<void> {
    const end = message.indexOf('\n');
    const head = JSON.parse(message.subarray(0, end).toString()) as Head;
    const { kind, id } = head;
    if (kind === 'abort') this.working.get(id)?.abort(new CallUnanswered('Nobody waits for the answer.'));
    else if (kind === 'call') await this.work(channel, head, message.subarray(end + 1));
    else if (kind === 'failure') this.waiters.get(id)?.reject(new CallFailed('The process failed at the call.'));
    else await this.take(head, message.subarray(end + 1));
  }

  private async take(head: Head, inline: Buffer): Promise<void> {
    const waiter = this.waiters.get(head.id);
    // Its caller is gone. What is stored expires.
    if (waiter === undefined) return;
    try {
      waiter.resolve(await this.bodyOf(head, 'answer', inline));
    } catch (error) {
      waiter.reject(error as Error);
    }
  }

  private async work(channel: string, head: Head, inline: Buffer): Promise<void> {
    const { id, from, correlation } = head;
    const answerer = this.answerers.get(channel);
    if (answerer === undefined) return;
    const controller = new AbortController();
    this.working.set(id, controller);
    // The caller may die without a word.
    const late = setTimeout(() => {
      controller.abort(new CallUnanswered('The time of the call is over.'));
    }, head.withinMs).unref();
    const answerIt = async (): Promise<void> => {
      const body = await answerer(await this.bodyOf(head, 'call', inline), controller.signal);
      await this.send(from!, { kind: 'answer', id }, body, ANSWER_KEPT_MS);
    };
    try {
      await (correlation === undefined ? answerIt() : this.context.run(correlation, answerIt));
    } catch (error) {
      if (!controller.signal.aborted)
        this.log.error({ ...correlation, channel, error }, 'A call of another process failed.');
      await this.send(from!, { kind: 'failure', id }).catch(() => undefined);
    } finally {
      clearTimeout(late);
      this.working.delete(id);
    }
  }

  private async bodyOf({ id, isStored }: Head, kind: 'call' | 'answer', inline: Buffer): Promise<Buffer> {
    if (isStored !== true) return inline;
    const body = await this.redis.producer().getdelBuffer(keyOf(id, kind));
    if (body === null) throw new CallFailed('The body of the call was lost.');
    return body;
  }

  /** Returns how many processes received it. */
  private async send(channel: string, head: Head, body: Buffer = Buffer.alloc(0), keptMs = 0): Promise<number> {
    if (body.length > MAX_BYTES) throw new RangeError(`A body of ${body.length} bytes is larger than ${MAX_BYTES}.`);
    const isStored = body.length > INLINE_BYTES;
    const producer = this.redis.producer();
    if (isStored) await producer.set(keyOf(head.id, head.kind as 'call' | 'answer'), body, 'PX', keptMs);
    const text = Buffer.from(`${JSON.stringify({ ...head, isStored })}\n`);
    return producer.publish(channel, isStored ? text : Buffer.concat([text, body]));
  }
}
