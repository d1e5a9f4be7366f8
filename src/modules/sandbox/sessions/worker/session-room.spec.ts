import type { SandboxSettings } from '../../sandbox.settings.js';
import { SessionRoom } from './session-room.js';
import type { WaitingStarts } from './waiting-starts.js';

const wake = jest.fn();

const roomOf = (sessions: number, sessionsSharePercent = 50, sessionsMemoryBytes = 1_000_000): SessionRoom =>
  new SessionRoom(
    { sessions, sessionsSharePercent, sessionsMemoryBytes } as SandboxSettings,
    {
      wake,
    } as unknown as WaitingStarts,
  );

/** How many sessions an organization gets. */
function fill(room: SessionRoom, orgId: string, memoryBytes = 1): number {
  let count = 0;
  while (room.take(memoryBytes, orgId)) count += 1;
  return count;
}

describe('the room of a worker', () => {
  it.each([
    [1, 1],
    [2, 1],
    [3, 1],
    [4, 2],
    [16, 8],
  ])('of %i places has %i for an organization alone', (places, count) => {
    expect(fill(roomOf(places), 'a')).toBe(count);
  });

  it('leaves room for each organization that comes later, down to the last place', () => {
    const room = roomOf(16);
    expect(['a', 'b', 'c', 'd', 'e', 'f'].map((org) => fill(room, org))).toEqual([8, 4, 2, 1, 1, 0]);
  });

  it('has a third for each of two, once the first has given some back', () => {
    const room = roomOf(6);
    expect(fill(room, 'a')).toBe(3);
    expect(fill(room, 'b')).toBe(1);
    room.free(1, 'a');
    expect([fill(room, 'a'), fill(room, 'b')]).toEqual([0, 1]);
  });

  it('counts memory in the same way, but for the first session', () => {
    const room = roomOf(100, 50, 1_000);
    expect(fill(room, 'a', 100)).toBe(5);
    expect(room.take(500, 'b')).toBe(true);
    expect(room.take(1, 'c')).toBe(false);
  });

  it('is given to one organization as a whole with a share of 100 %', () => {
    expect(fill(roomOf(16, 100), 'a')).toBe(16);
  });

  it('wakes the starts that wait for it each time that some is free again, and not before', () => {
    const room = roomOf(2, 100);
    wake.mockClear();
    fill(room, 'a');
    expect(wake).not.toHaveBeenCalled();
    room.free(1, 'a');
    room.free(1, 'a');
    expect(wake).toHaveBeenCalledTimes(2);
  });

  it('is free again when sessions have ended', () => {
    const room = roomOf(4);
    for (let round = 0; round < 3; round++) {
      expect(fill(room, 'a')).toBe(2);
      room.free(1, 'a');
      room.free(1, 'a');
    }
    expect(fill(room, 'b')).toBe(2);
  });
});
