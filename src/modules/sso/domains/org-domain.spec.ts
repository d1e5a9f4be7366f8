import { type ChallengeFinding, checked, claimed, isDue, type OrgDomain, takenOver } from './org-domain.js';

const DAY_MS = 86_400_000;
const at = (day: number): Date => new Date(Date.UTC(2026, 0, 1) + day * DAY_MS);
const pending = claimed({ id: 'odom_1', orgId: 'org_1', name: 'acme.com', challengeToken: 't' }, at(0));
const scheduled = (domain: OrgDomain, finding: ChallengeFinding, day: number): OrgDomain =>
  checked(domain, { finding, isScheduled: true, at: at(day) });
const asked = (domain: OrgDomain, finding: ChallengeFinding, day: number): OrgDomain =>
  checked(domain, { finding, isScheduled: false, at: at(day) });
const verified = asked(pending, 'proved', 1);
const paused = scheduled(scheduled(verified, 'absent', 8), 'absent', 15);

describe('a domain of an organization', () => {
  it('is verified by its record, and checked again in a week', () => {
    expect(verified).toMatchObject({ status: 'verified', verifiedAt: at(1), nextCheckAt: at(8), lastProblem: null });
    expect([isDue(pending, at(99)), isDue(verified, at(7)), isDue(verified, at(8))]).toEqual([false, false, true]);
  });

  it('is paused by two misses in a row, and verified again by the record', () => {
    expect(scheduled(verified, 'absent', 8)).toMatchObject({ status: 'verified', misses: 1, verifiedAt: at(1) });
    expect(paused).toMatchObject({ status: 'paused', misses: 2, nextCheckAt: at(22) });
    expect(scheduled(paused, 'absent', 22)).toMatchObject({ status: 'paused', misses: 2, nextCheckAt: at(29) });
    expect(scheduled(paused, 'proved', 22)).toMatchObject({ status: 'verified', misses: 0, verifiedAt: at(22) });
  });

  it('starts to count again after a success between two misses', () => {
    const between = scheduled(scheduled(verified, 'absent', 8), 'proved', 15);
    expect(between).toMatchObject({ status: 'verified', misses: 0, verifiedAt: at(1) });
    expect(scheduled(between, 'absent', 22)).toMatchObject({ status: 'verified', misses: 1 });
  });

  it('neither gains nor loses a miss while name servers do not answer, and is asked for again in an hour', () => {
    const once = scheduled(verified, 'absent', 8);
    expect(scheduled(once, 'unknown', 15)).toMatchObject({
      status: 'verified',
      misses: 1,
      lastProblem: 'resolver_unavailable',
      nextCheckAt: new Date(at(15).getTime() + 3_600_000),
    });
  });

  it('is not paused by a person who asks, and not kept from its next check', () => {
    const once = asked(asked(asked(verified, 'absent', 2), 'absent', 3), 'unknown', 4);
    expect(once).toMatchObject({ status: 'verified', misses: 0, checkedAt: at(4), nextCheckAt: at(8) });
    expect(asked(pending, 'absent', 1)).toMatchObject({ status: 'pending', lastProblem: 'challenge_missing' });
  });

  it('is pending again after another organization took it over', () => {
    expect(takenOver(paused)).toMatchObject({ status: 'pending', misses: 0, verifiedAt: null, nextCheckAt: null });
  });
});
