/**
 * `pending` was not proved. `verified` is the organization's, and people with addresses in it are. `paused` was
 * verified, but its record was missing twice.
 */
export const ORG_DOMAIN_STATUSES = ['pending', 'verified', 'paused'] as const;
export type OrgDomainStatus = (typeof ORG_DOMAIN_STATUSES)[number];

/** Why the last check did not succeed, or why the domain is no longer verified. */
export const ORG_DOMAIN_PROBLEMS = ['challenge_missing', 'resolver_unavailable', 'taken_over'] as const;
export type OrgDomainProblem = (typeof ORG_DOMAIN_PROBLEMS)[number];

/** The result of a look-up. `unknown` means that the name servers could not be asked, so that nothing was learned. */
export type ChallengeFinding = 'proved' | 'absent' | 'unknown';

/** A claim of an organization to a domain, which counts once it is proved by a record. */
export interface OrgDomain {
  readonly id: string;
  readonly orgId: string;
  /** In ASCII and lower case. It stands for itself alone, and for no name below it. */
  readonly name: string;
  readonly challengeToken: string;
  readonly status: OrgDomainStatus;
  /** Scheduled checks in a row that found no record. */
  readonly misses: number;
  readonly lastProblem: OrgDomainProblem | null;
  readonly createdAt: Date;
  readonly verifiedAt: Date | null;
  readonly checkedAt: Date | null;
  /** Null while the domain is pending, because it is only checked on request then. */
  readonly nextCheckAt: Date | null;
}

/** A change of DNS may take a record away by mistake, and may not cut an organization off at once. */
const MISSES_TO_PAUSE = 2;
const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

type NewOrgDomain = Pick<OrgDomain, 'id' | 'orgId' | 'name' | 'challengeToken'>;

/** A claim that is not proved yet. */
export const claimed = ({ id, orgId, name, challengeToken }: NewOrgDomain, at: Date): OrgDomain => ({
  id,
  orgId,
  name,
  challengeToken,
  status: 'pending',
  misses: 0,
  lastProblem: null,
  createdAt: at,
  verifiedAt: null,
  checkedAt: null,
  nextCheckAt: null,
});

/** A check, which is scheduled or was asked for by a person. */
interface Check {
  readonly finding: ChallengeFinding;
  readonly isScheduled: boolean;
  readonly at: Date;
}

/**
 * Applies the result of a check. Only a scheduled one counts a miss or moves the next one on: otherwise a person could
 * pause a domain by asking twice, or keep a lost one by asking each week.
 */
export function checked(domain: OrgDomain, { finding, isScheduled, at }: Check): OrgDomain {
  switch (finding) {
    case 'proved':
      return verified(domain, at);
    case 'unknown':
      return {
        ...domain,
        lastProblem: 'resolver_unavailable',
        checkedAt: at,
        nextCheckAt: isScheduled ? after(at, HOUR_MS) : domain.nextCheckAt,
      };
    case 'absent':
      return isScheduled ? missed(domain, at) : { ...domain, lastProblem: 'challenge_missing', checkedAt: at };
  }
}

/** Another organization proved that the domain is theirs, while this one could not. */
export const takenOver = (domain: OrgDomain): OrgDomain => ({
  ...domain,
  status: 'pending',
  misses: 0,
  lastProblem: 'taken_over',
  verifiedAt: null,
  nextCheckAt: null,
});

/** A pending claim is never due, so another check that came first leaves nothing to do. */
export const isDue = ({ nextCheckAt }: OrgDomain, at: Date): boolean => nextCheckAt !== null && nextCheckAt <= at;

const verified = (domain: OrgDomain, at: Date): OrgDomain => ({
  ...domain,
  status: 'verified',
  misses: 0,
  lastProblem: null,
  verifiedAt: domain.status === 'verified' ? domain.verifiedAt : at,
  checkedAt: at,
  nextCheckAt: after(at, WEEK_MS),
});

function missed(domain: OrgDomain, at: Date): OrgDomain {
  const misses = Math.min(domain.misses + 1, MISSES_TO_PAUSE);
  return {
    ...domain,
    status: misses < MISSES_TO_PAUSE ? domain.status : 'paused',
    misses,
    lastProblem: 'challenge_missing',
    checkedAt: at,
    nextCheckAt: after(at, WEEK_MS),
  };
}

const after = (at: Date, ms: number): Date => new Date(at.getTime() + ms);
