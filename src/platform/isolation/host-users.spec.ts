import { HostUsers } from './host-users.js';

const WHOLE = '         0          0 4294967295\n';
/** All capabilities, as a set of bits. */
const ALL = -1n;
const CONTAINER = '         0     100000      65536\n';

describe('HostUsers', () => {
  it('has thirteen users in a container with 65,536, and more where all are mapped', () => {
    expect(new HostUsers(0, CONTAINER).count).toBe(13);
    expect(new HostUsers(0, WHOLE).count).toBe(255);
  });

  it('lends a user to one program at a time, and lets it rest before the next', () => {
    const users = new HostUsers(0, CONTAINER);
    const lent = Array.from({ length: 13 }, () => users.lend());
    expect(new Set(lent.map(({ uid }) => uid)).size).toBe(13);
    expect(lent.every(({ uid }) => uid >= 65_520 && uid < users.kept.uid)).toBe(true);
    expect(() => users.lend()).toThrow('All 13 users');

    users.takeBack(lent[0]!);
    users.takeBack(lent[1]!);
    expect(users.lend()).toBe(lent[0]);
  });

  it('reports missing users in a container without them', () => {
    expect(HostUsers.missing(CONTAINER, ALL)).toBeNull();
    expect(HostUsers.missing('0 1000 1\n', ALL)).toContain('65520 to 65533');
  });

  it('reports capabilities that root was left without', () => {
    expect(HostUsers.missing(WHOLE, 0n)).toContain('--cap-add CHOWN --cap-add KILL --cap-add SETGID --cap-add SETUID');
    expect(HostUsers.missing(WHOLE, ALL & ~(1n << 7n))).toContain('the capabilities SETUID of root');
  });
});
