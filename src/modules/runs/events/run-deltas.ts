import { Injectable } from '@nestjs/common';
import { RedisConnections } from '../../../platform/redis/redis-connections.js';

const CHANNEL = 'run-deltas:';
/** Pieces of an answer are gathered for so long. */
const FLUSH_EVERY_MS = 40;

/** A piece of an answer that is being generated. */
export interface RunDelta {
  readonly step: number;
  readonly text: string;
}

type Listener = (delta: RunDelta) => void;

/**
 * Passes answers on to followers while they are generated. Nothing of it is stored: the whole text comes with the end
 * of its step.
 */
@Injectable()
export class RunDeltas {
  private readonly listeners = new Map<string, Set<Listener>>();
  private subscriber: ReturnType<RedisConnections['blocking']> | undefined;

  constructor(private readonly redis: RedisConnections) {}

  /** Returns where the pieces of one answer go. */
  of(runId: string, step: number): { readonly push: (text: string) => void } {
    let gathered = '';
    let timer: NodeJS.Timeout | undefined;
    const flush = (): void => {
      const message = JSON.stringify({ step, text: gathered });
      gathered = '';
      timer = undefined;
      this.redis
        .producer()
        .publish(CHANNEL + runId, message)
        .catch(() => undefined);
    };
    return {
      push: (text) => {
        gathered += text;
        timer ??= setTimeout(flush, FLUSH_EVERY_MS).unref();
      },
    };
  }

  /** Calls the listener with each piece from now on, until the returned function is called. */
  listen(runId: string, listener: Listener): () => void {
    const listeners = this.listeners.get(runId) ?? new Set();
    const subscriber = this.connected();
    if (listeners.size === 0) subscriber.subscribe(CHANNEL + runId).catch(() => undefined);
    this.listeners.set(runId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.listeners.get(runId) !== listeners) return;
      this.listeners.delete(runId);
      subscriber.unsubscribe(CHANNEL + runId).catch(() => undefined);
    };
  }

  private connected(): NonNullable<typeof this.subscriber> {
    if (this.subscriber !== undefined) return this.subscriber;
    const subscriber = this.redis.blocking();
    subscriber.on('message', (channel: string, message: string) => {
      const delta = JSON.parse(message) as RunDelta;
      for (const listener of this.listeners.get(channel.slice(CHANNEL.length)) ?? []) listener(delta);
    });
    return (this.subscriber = subscriber);
  }
}
