import { setTimeout as sleep } from 'node:timers/promises';
import { SessionTurns, TurnNotReached } from './session-turns.js';

const NEVER = new AbortController().signal;

describe('turns of a session', () => {
  it('let one piece of work happen at a time, in the order in which they came', async () => {
    const turns = new SessionTurns();
    const seen: string[] = [];
    const work = (name: string) => async (): Promise<string> => {
      seen.push(`${name} begins`);
      await sleep(5);
      seen.push(`${name} ends`);
      return name;
    };
    const names = ['a', 'b', 'c'];
    expect(await Promise.all(names.map((name) => turns.take(1_000, NEVER, work(name))))).toEqual(names);
    expect(seen).toEqual(names.flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  it('go on after work that fails', async () => {
    const turns = new SessionTurns();
    const failing = turns.take(1_000, NEVER, () => Promise.reject(new Error('no')));
    const next = turns.take(1_000, NEVER, () => Promise.resolve('next'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('next');
  });

  it('are lost by those that wait too long or leave, and by nobody else', async () => {
    const turns = new SessionTurns();
    let end = (): void => undefined;
    const first = turns.take(1_000, NEVER, () => new Promise<void>((resolve) => (end = resolve)));
    const late = turns.take(10, NEVER, () => Promise.resolve());
    const leaving = new AbortController();
    const left = turns.take(1_000, leaving.signal, () => Promise.resolve());
    const patient = turns.take(1_000, NEVER, () => Promise.resolve('patient'));
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    await expect(late).rejects.toThrow(TurnNotReached);
    end();
    await first;
    expect(await patient).toBe('patient');
  });

  it('are refused at once while sixteen wait', async () => {
    const turns = new SessionTurns();
    let end = (): void => undefined;
    const first = turns.take(1_000, NEVER, () => new Promise<void>((resolve) => (end = resolve)));
    const waiting = Array.from({ length: 16 }, () => turns.take(1_000, NEVER, () => Promise.resolve()));
    await expect(turns.take(1_000, NEVER, () => Promise.resolve())).rejects.toThrow(TurnNotReached);
    end();
    await Promise.all([first, ...waiting]);
    expect(await turns.take(0, NEVER, () => Promise.resolve('free'))).toBe('free');
  });
});
