import { setTimeout as sleep } from 'node:timers/promises';

import { type PoolMember, WarmPool, type WarmPoolOptions } from '../../src/modules/sandbox/runtime/warm-pool.js';
import { soon } from '../support/patience.js';

/** Starts and ends when the test says so. */
class FakeMember implements PoolMember {
  isAlive = true;
  readonly gone: Promise<void>;
  private end: () => void = () => undefined;

  constructor(readonly number: number) {
    this.gone = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  die(): void {
    this.isAlive = false;
    this.end();
  }

  destroy(): Promise<void> {
    this.die();
    return Promise.resolve();
  }
}

describe('WarmPool', () => {
  let members: FakeMember[];
  let broken: boolean;
  let startMs: number;
  let attempts: number[];
  let pool: WarmPool<FakeMember>;

  const makePool = (options: Partial<WarmPoolOptions<FakeMember>> = {}): WarmPool<FakeMember> => {
    pool = new WarmPool({
      size: 2,
      startsAtOnce: 2,
      maxAgeMs: 60_000,
      start: async () => {
        attempts.push(performance.now());
        await sleep(startMs);
        if (broken) throw new Error('broken machine');
        const member = new FakeMember(members.length);
        members.push(member);
        return member;
      },
      ...options,
    });
    return pool;
  };
  const filled = (size = 2): Promise<void> => soon(() => pool.ready === size && pool.starting === 0);
  const alive = (): number => members.filter(({ isAlive }) => isAlive).length;
  const use = (workMs = 1): Promise<{ member: number; warm: boolean; waitedMs: number }> => {
    const askedAt = performance.now();
    return pool.use(async (member, warm) => {
      const waitedMs = performance.now() - askedAt;
      await sleep(workMs);
      await member.destroy();
      return { member: member.number, warm, waitedMs };
    });
  };

  beforeEach(() => {
    members = [];
    attempts = [];
    broken = false;
    startMs = 20;
    makePool();
  });

  afterEach(() => pool.close());

  it('starts nothing before open(), and then one member per use', async () => {
    await sleep(30);
    expect(attempts).toHaveLength(0);
    expect(await use()).toMatchObject({ warm: false });
    await sleep(50);
    expect(attempts).toHaveLength(1);
  });

  it('gives each member to one use, and replaces it', async () => {
    pool.open();
    await filled();
    const uses = [];
    for (let turn = 0; turn < 6; turn++) {
      uses.push(await use());
      await filled();
    }
    expect(uses.every(({ warm }) => warm)).toBe(true);
    expect(new Set(uses.map(({ member }) => member)).size).toBe(6);
  });

  it('starts a member for a use that finds none, and hands out the first that is ready', async () => {
    pool.open();
    await filled();
    const all = await Promise.all([use(), use(), use(), use()]);
    expect(all.map(({ warm }) => warm)).toEqual([true, true, false, false]);
    expect(new Set(all.map(({ member }) => member)).size).toBe(4);
    await filled();
  });

  it('pauses filling during short runs, and fills during long ones', async () => {
    pool.open();
    await filled();
    const before = attempts.length;
    const running = pool.use(() => sleep(200));
    await sleep(10);
    expect(attempts).toHaveLength(before);
    await soon(() => pool.ready === 2);
    await running;
  });

  it('replaces dead members instead of handing them out', async () => {
    const lost = jest.fn();
    makePool({ onLost: lost }).open();
    await filled();
    members[0]!.die();
    expect(await use()).toMatchObject({ member: 1, warm: true });
    await filled();
    expect(lost).toHaveBeenCalledTimes(1);
  });

  it('retries with growing pauses while starts fail, and recovers', async () => {
    startMs = 0;
    broken = true;
    const failed = jest.fn();
    makePool({ onStartFailed: failed }).open();
    await sleep(1_000);
    const pauses = attempts.slice(1).map((at, index) => at - attempts[index]!);
    // 0, 100, 200, 400 ms; without pauses it would be hundreds.
    expect(attempts.length).toBeLessThanOrEqual(8);
    expect(pauses.at(-1)).toBeGreaterThan(180);
    expect(failed).toHaveBeenCalledTimes(attempts.length);

    // A caller that needs a sandbox does not wait for the pause.
    const askedAt = performance.now();
    await expect(use()).rejects.toThrow('broken machine');
    expect(performance.now() - askedAt).toBeLessThan(300);

    broken = false;
    expect(await use()).toMatchObject({ warm: false });
    await filled();
  });

  it('backs off when members die right after their start', async () => {
    startMs = 0;
    pool.open();
    const killer = setInterval(() => {
      for (const member of members) member.die();
    }, 1);
    await sleep(600);
    clearInterval(killer);
    expect(attempts.length).toBeLessThan(12);
  });

  it('rejects an aborted use, and keeps the member that was started for it', async () => {
    const stop = new AbortController();
    const waiting = pool.use(() => Promise.resolve('ran'), stop.signal);
    stop.abort(new Error('hung up'));
    await expect(waiting).rejects.toThrow('hung up');
    await soon(() => pool.ready === 1);
    expect(await use()).toMatchObject({ warm: true });
  });

  it('replaces old members one after the other', async () => {
    makePool({ maxAgeMs: 150 }).open();
    await filled();
    await sleep(400);
    expect(members[0]!.isAlive).toBe(false);
    expect(members.length).toBeGreaterThan(2);
    expect(alive()).toBeGreaterThanOrEqual(1);
  });

  it('replaces the idle members that are spent, and no others', async () => {
    const spent = new Set([0, 2]);
    makePool({ size: 3, isSpent: ({ number }) => isSwitched && spent.has(number) });
    let isSwitched = false;
    pool.open();
    await filled(3);
    isSwitched = true;
    pool.replaceSpent();
    expect([pool.ready, alive()]).toEqual([1, 1]);
    await filled(3);
    expect(members.map(({ isAlive }) => isAlive)).toEqual([false, true, false, true, true]);
  });

  it('keeps none that is spent before it has started, but gives it to a caller that waits', async () => {
    startMs = 100;
    makePool({ isSpent: ({ number }) => number < 2 }).open();
    await soon(() => pool.starting === 2);
    pool.replaceSpent();
    expect(await use()).toMatchObject({ member: 0, warm: false });
    await filled();
    expect([members[1]!.isAlive, alive()]).toEqual([false, 2]);
  });

  it('keeps no members with size 0', async () => {
    makePool({ size: 0 }).open();
    expect(await use()).toMatchObject({ warm: false });
    await sleep(50);
    expect(attempts).toHaveLength(1);
  });

  it('ends all idle members on close(), also those still starting, and accepts no more uses', async () => {
    pool.open();
    await soon(() => pool.ready > 0);
    const waiting = Promise.all([use(), use(), use()]);
    await pool.close();
    await expect(waiting).rejects.toThrow('closed');
    await expect(use()).rejects.toThrow('closed');
    await soon(() => pool.starting === 0 && alive() === 0);
    await sleep(60);
    expect(pool.starting).toBe(0);
  });
});
