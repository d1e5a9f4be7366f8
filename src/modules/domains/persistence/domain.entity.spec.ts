import fc from 'fast-check';
import { type CheckProblem, GRACE_MS, type Observation } from '../claims/domain-state.js';
import { Domain } from './domain.entity.js';

const START = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

function seen(isProved: boolean, routing: Observation['routing'], isUnknown = false): Observation {
  const problem: CheckProblem | null = isUnknown
    ? 'resolver_unavailable'
    : !isProved
      ? 'challenge_missing'
      : routing === 'here'
        ? null
        : 'records_elsewhere';
  return { isUnknown, isProved, routing, problem, seen: { txt: [], cname: [], a: [], aaaa: [], isProved, routing } };
}

const newDomain = (): Domain =>
  Domain.claim(
    { id: 'dom_1', orgId: 'org_1', projectId: 'prj_1', name: 'shop.example.com', challengeToken: 'token' },
    { redirectTo: null, httpsRedirect: true, hsts: false },
    new Date(START),
  );

const FINE = seen(true, 'here');

describe('a domain', () => {
  it('is served from its first complete check until three days after the first failed one', () => {
    const domain = newDomain();
    domain.checked(FINE, new Date(START));
    expect([domain.state, domain.isServed]).toEqual(['active', true]);
    for (let atMs = START + HOUR_MS; atMs < START + HOUR_MS + GRACE_MS; atMs += HOUR_MS) {
      domain.checked(seen(false, 'missing'), new Date(atMs));
      expect(domain.isServed).toBe(true);
    }
    expect(domain.state).toBe('misconfigured');
    domain.checked(seen(false, 'missing'), new Date(START + HOUR_MS + GRACE_MS));
    expect([domain.state, domain.isServed, domain.verifiedAt]).toEqual(['pending', false, null]);
  });

  it('is active again after one good check', () => {
    const domain = newDomain();
    domain.checked(FINE, new Date(START));
    for (let count = 1; count <= 3; count++) domain.checked(seen(true, 'elsewhere'), new Date(START + count * HOUR_MS));
    expect(domain.state).toBe('misconfigured');
    domain.checked(FINE, new Date(START + 4 * HOUR_MS));
    expect([domain.state, domain.failingSince, domain.failedChecks]).toEqual(['active', null, 0]);
  });

  it('keeps its promises whatever is found, and whenever', () => {
    const observation = fc.oneof(
      fc.constant(FINE),
      fc
        .tuple(fc.boolean(), fc.constantFrom('here', 'elsewhere', 'missing'))
        .map(([proved, routing]) => seen(proved, routing as Observation['routing'])),
      fc.constant(seen(false, 'unknown', true)),
    );
    const steps = fc.array(fc.tuple(observation, fc.integer({ min: 1, max: 48 })), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (found) => {
        const domain = newDomain();
        let atMs = START;
        let failingFromMs: number | undefined;
        for (const [each, hours] of found) {
          atMs += hours * HOUR_MS;
          const { state, isServed } = domain;
          domain.checked(each, new Date(atMs));
          if (each.isUnknown) expect([domain.state, domain.isServed]).toEqual([state, isServed]);
          expect(domain.state === 'pending').toBe(domain.verifiedAt === null);
          if (domain.isServed) expect(domain.activeAt).not.toBeNull();
          if (each === FINE) expect(domain.state).toBe('active');
          // A name is never begun to be served without its proof.
          if (domain.isServed && !isServed) expect(each.isProved && each.routing === 'here').toBe(true);
          if (each.isUnknown) continue;
          const isFine = each.isProved && each.routing === 'here';
          failingFromMs = isFine ? undefined : (failingFromMs ?? atMs);
          const failures = domain.failedChecks;
          if (failingFromMs !== undefined && atMs - failingFromMs >= GRACE_MS && failures >= 3)
            expect(domain.isServed).toBe(false);
        }
      }),
      { numRuns: 500 },
    );
  });
});
