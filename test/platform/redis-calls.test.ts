import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CallFailed, CallUnanswered, CallUnreachable, RedisCalls } from '../../src/platform/redis/redis-calls.js';
import { RedisConnections } from '../../src/platform/redis/redis-connections.js';
import { type TestApp, useApp } from '../support/test-app.js';

jest.setTimeout(60_000);

describe('a call to another process', () => {
  const app = useApp({}, 'api');
  let other: TestApp;
  let address: string;
  const call = (body: Buffer | string, options: { withinMs?: number; signal?: AbortSignal } = {}): Promise<Buffer> =>
    app.get(RedisCalls).call({ address, body: Buffer.from(body), withinMs: 5_000, ...options });
  const storedBodies = (): Promise<string[]> => app.get(RedisConnections).producer().keys('call-body:*');

  beforeAll(async () => {
    other = await app.another();
  });
  afterAll(() => other.stop());
  beforeEach(() => {
    address = `test:${randomUUID()}`;
  });

  it('returns its own answer to each caller, of any bytes and size, and leaves nothing in Redis', async () => {
    await other.get(RedisCalls).answer(address, async (body) => {
      await sleep(body.length % 7);
      return Buffer.from(body).reverse();
    });
    const bodies = [0, 1, 100, 65_536, 65_537, 1_000_000, 8 * 1_048_576].map((size) => randomBytes(size));
    const many = [...bodies, ...Array.from({ length: 200 }, () => randomBytes(50))];
    const answers = await Promise.all(many.map((body) => call(body)));
    expect(answers.every((answer, index) => answer.equals(Buffer.from(many[index]!).reverse()))).toBe(true);
    expect(await storedBodies()).toEqual([]);
  });

  it('is answered in the process that calls, too', async () => {
    await app.get(RedisCalls).answer(address, (body) => Promise.resolve(body));
    expect((await call('same')).toString()).toBe('same');
  });

  it('is unreachable when no process answers, and when it no longer does', async () => {
    await expect(call('x')).rejects.toThrow(CallUnreachable);
    await expect(call('x')).rejects.toMatchObject({ wasReceived: false });
    await other.get(RedisCalls).answer(address, (body) => Promise.resolve(body));
    await call('x');
    await other.get(RedisCalls).stop(address);
    await expect(call('x')).rejects.toMatchObject({ wasReceived: false });
  });

  it('fails when the work does, without its reason', async () => {
    await other.get(RedisCalls).answer(address, () => Promise.reject(new Error('a secret')));
    const error = await call('x').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CallFailed);
    expect(String(error)).not.toContain('secret');
  });

  it('is refused when it is too large, and when the answer is', async () => {
    await other.get(RedisCalls).answer(address, () => Promise.resolve(Buffer.alloc(10 * 1_048_576)));
    await expect(call(Buffer.alloc(10 * 1_048_576))).rejects.toThrow(RangeError);
    await expect(call('x')).rejects.toThrow(CallFailed);
  });

  it('ends the work when its time is over, and a late answer harms nothing', async () => {
    const reasons: unknown[] = [];
    await other.get(RedisCalls).answer(address, async (body, signal) => {
      if (body.toString() === 'slow') await sleep(400);
      reasons.push(signal.reason);
      return body;
    });
    await expect(call('slow', { withinMs: 100 })).rejects.toThrow(CallUnanswered);
    expect((await call('fast')).toString()).toBe('fast');
    await sleep(500);
    expect(reasons).toEqual([undefined, expect.any(CallUnanswered)]);
    expect((await call('fast')).toString()).toBe('fast');
  });

  it('ends the work when its caller leaves, and fails with the reason of the caller', async () => {
    let ended: unknown;
    await other.get(RedisCalls).answer(
      address,
      (_body, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            ended = signal.reason;
            resolve(Buffer.alloc(0));
          });
        }),
    );
    const leaving = new AbortController();
    const left = call('x', { signal: leaving.signal }).catch((error: unknown) => error);
    await sleep(100);
    const reason = new Error('enough');
    leaving.abort(reason);
    expect(await left).toBe(reason);
    await sleep(100);
    expect(ended).toBeInstanceOf(CallUnanswered);
    await expect(call('x', { signal: leaving.signal })).rejects.toBe(reason);
  });

  it('is given up soon when the process that has it dies', async () => {
    const dying = await app.another();
    await dying.get(RedisCalls).answer(address, () => new Promise(() => undefined));
    const given = call('x', { withinMs: 30_000 }).catch((error: unknown) => error);
    await sleep(200);
    const before = performance.now();
    await dying.stop();
    expect(await given).toMatchObject({ wasReceived: true });
    expect(performance.now() - before).toBeLessThan(15_000);
  });
});
