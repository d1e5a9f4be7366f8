import { Injectable } from '@nestjs/common';
import { isFault, readDomainName, unicodeOf } from '../../dns/domain-name.js';
import { type CheckProblem, GRACE_MS, type SeenRecords } from '../claims/domain-state.js';
import type { Domain } from '../persistence/domain.entity.js';
import { DomainRecords, type ExpectedRecord } from '../records/domain-records.js';
import type { DomainRecordView, DomainView } from './domains.dto.js';

const MESSAGES: Readonly<Record<CheckProblem, string>> = {
  challenge_missing: 'No TXT record with the expected value exists. Set it, or wait until name servers show it.',
  records_missing: 'The name has no records that lead visitors anywhere. Set the routing records.',
  records_elsewhere:
    'The name leads elsewhere, or in part. Set the routing records and remove other A and AAAA records.',
  resolver_unavailable: 'The name servers of the domain did not answer. The next check tries again.',
  held_by_another:
    'Another organization holds this name, and its TXT record is still there. Remove that record, then verify again.',
  taken_over: 'Another organization proved that the name is theirs. Set the TXT record again if it is yours.',
  wildcards_not_in_plan: 'The plan of the organization no longer includes wildcards. Upgrade it, or remove the domain.',
};

/** Shows domains with the records that they need and those that were found. */
@Injectable()
export class DomainViews {
  constructor(private readonly records: DomainRecords) {}

  of(domain: Domain): DomainView {
    const { id, projectId, name, state, redirectTo, httpsRedirect, hsts, problem } = domain;
    return {
      id,
      project_id: projectId,
      name,
      unicode_name: unicodeOf(name),
      state,
      ...(redirectTo === null ? {} : { redirect_to: redirectTo }),
      https_redirect: httpsRedirect,
      hsts,
      records: this.recordsOf(domain),
      ...(problem === null ? {} : { problem: { code: problem, message: MESSAGES[problem] } }),
      created_at: domain.createdAt.toISOString(),
      ...timeOf('verified_at', domain.verifiedAt),
      ...timeOf('active_at', domain.activeAt),
      ...timeOf('checked_at', domain.checkedAt),
      ...timeOf('next_check_at', domain.nextCheckAt),
      ...timeOf('served_until', servedUntilOf(domain)),
    };
  }

  private recordsOf({ name, challengeToken, seen }: Domain): DomainRecordView[] {
    const read = readDomainName(name, () => false);
    // A name that has become a public suffix can no longer be proved.
    if (isFault(read)) return [];
    return this.records.of(read, challengeToken).map((record) => ({ ...record, ...resultOf(record, seen) }));
  }
}

function resultOf(
  { type, value, purpose }: ExpectedRecord,
  seen: SeenRecords | null,
): Pick<DomainRecordView, 'status' | 'seen'> {
  if (seen === null) return { status: 'unchecked', seen: [] };
  const found = foundInPlaceOf(type, seen);
  if (purpose === 'verification') return { status: statusOf(seen.isProved, found), seen: found };
  if (seen.routing === 'unknown') return { status: 'unknown', seen: found };
  return { status: statusOf(seen.routing === 'here' || found.includes(value), found), seen: found };
}

function foundInPlaceOf(type: ExpectedRecord['type'], { txt, cname, a, aaaa }: SeenRecords): readonly string[] {
  switch (type) {
    case 'TXT':
      return txt;
    case 'A':
      return a;
    case 'AAAA':
      return aaaa;
    case 'CNAME':
    case 'ALIAS':
      return cname.length > 0 ? cname : [...a, ...aaaa];
  }
}

function statusOf(isFound: boolean, found: readonly string[]): DomainRecordView['status'] {
  if (isFound) return 'found';
  return found.length > 0 ? 'other' : 'missing';
}

const servedUntilOf = ({ isServed, failingSince }: Domain): Date | null =>
  isServed && failingSince !== null ? new Date(failingSince.getTime() + GRACE_MS) : null;

const timeOf = <Name extends string>(name: Name, time: Date | null): Partial<Record<Name, string>> =>
  time === null ? {} : ({ [name]: time.toISOString() } as Record<Name, string>);
