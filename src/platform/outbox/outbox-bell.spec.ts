import { OutboxBell } from './outbox-bell.js';

const LONG_MS = 1_000_000;

describe('OutboxBell', () => {
  const { signal } = new AbortController();

  it('ends the wait of the relay', async () => {
    const bell = new OutboxBell();
    const waiting = bell.next(LONG_MS, signal);
    bell.ring();
    await waiting;
  });

  it('wakes a relay that begins to wait afterwards, once', async () => {
    const bell = new OutboxBell();
    bell.ring();
    await bell.next(LONG_MS, signal);
    let heard = false;
    const second = bell.next(LONG_MS, signal).then(() => {
      heard = true;
    });
    await new Promise(setImmediate);
    expect(heard).toBe(false);
    bell.ring();
    await second;
  });

  it('limits the wait, and ends it when the process stops', async () => {
    const bell = new OutboxBell();
    await bell.next(1, signal);
    const stop = new AbortController();
    const waiting = bell.next(LONG_MS, stop.signal);
    stop.abort();
    await waiting;
    await bell.next(LONG_MS, stop.signal);
  });
});
