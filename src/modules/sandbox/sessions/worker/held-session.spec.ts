import { type SessionProcess } from '../host/session-process.js';
import { HeldSession } from './held-session.js';

const FACTS = {
  id: 'sbx_1',
  orgId: 'org_1',
  language: 'python',
  memoryBytes: 1,
  idleTimeoutMs: 300_000,
  expiresAtMs: 0,
} as const;

/** A session whose processes can be stopped or not. */
class Fake {
  canFreeze = true;
  isFrozen = false;
  freezes = 0;
  hasEnded = false;

  freeze(): Promise<void> {
    this.freezes += 1;
    this.isFrozen = this.canFreeze;
    return Promise.resolve();
  }

  end(): Promise<void> {
    this.hasEnded = true;
    return Promise.resolve();
  }
}

function hold(): { fake: Fake; held: HeldSession; said: string[] } {
  const [fake, said] = [new Fake(), [] as string[]];
  const held = new HeldSession(FACTS, fake as unknown as SessionProcess, (status) => said.push(status));
  return { fake, held, said };
}

describe('a session that a worker holds', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('freezes when it is not used', async () => {
    const { fake, said } = hold();
    await jest.advanceTimersByTimeAsync(300);
    expect(fake.freezes).toBe(1);
    expect(said).toEqual(['frozen']);
  });

  it('is not called frozen, and ends in the end, when its processes cannot be stopped', async () => {
    const { fake, said } = hold();
    fake.canFreeze = false;
    await jest.advanceTimersByTimeAsync(15_000);
    expect(fake.hasEnded).toBe(false);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(fake.hasEnded).toBe(true);
    expect(said).toEqual([]);
  });

  it('goes on when it could not be frozen for a while', async () => {
    const { fake, held, said } = hold();
    fake.canFreeze = false;
    await jest.advanceTimersByTimeAsync(15_000);
    fake.canFreeze = true;
    await jest.advanceTimersByTimeAsync(1_000);
    expect(said).toEqual(['frozen']);
    await held.use(() => Promise.resolve());
    fake.canFreeze = false;
    await jest.advanceTimersByTimeAsync(15_000);
    expect(fake.hasEnded).toBe(false);
    await held.end();
  });
});
