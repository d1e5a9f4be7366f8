import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { AnswerMeta, PageMeta } from '../../../platform/http/page.js';
import { challengeHostOf, challengeValueOf } from '../../dns/domain-challenge.js';
import { unicodeOf } from '../../dns/domain-name.js';
import {
  ORG_DOMAIN_PROBLEMS,
  ORG_DOMAIN_STATUSES,
  type OrgDomain,
  type OrgDomainProblem,
  type OrgDomainStatus,
} from '../domains/org-domain.js';

const MAX_TYPED = 1_000;

export class CreateOrgDomainBody {
  @ApiProperty({
    maxLength: MAX_TYPED,
    example: 'acme.com',
    description:
      'The part of email addresses after the @, in ASCII or as people read it. It covers only the domain itself: ' +
      'each subdomain is a domain of its own.',
  })
  @IsString()
  @MaxLength(MAX_TYPED)
  readonly name!: string;
}

export class OrgDomainRecordView {
  @ApiProperty({ enum: ['TXT'] }) type!: 'TXT';
  @ApiProperty({ example: '_service-challenge.acme.com' }) name!: string;
  @ApiProperty({ example: 'service-verification=7d1f…' }) value!: string;
}

export class OrgDomainView {
  @ApiProperty({ example: 'odom_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'acme.com', description: 'The name in ASCII and lower case.' }) name!: string;
  @ApiPropertyOptional({
    type: String,
    example: 'bücher.de',
    description: 'The name as people read it. Absent when it is the same as `name`.',
  })
  unicode_name?: string;
  @ApiProperty({
    enum: ORG_DOMAIN_STATUSES,
    description:
      '`pending`: not proved. `verified`: proved, and checked each week. `paused`: the record was missing in two ' +
      'checks in a row, so that the domain counts for nothing until a check finds it again.',
  })
  status!: OrgDomainStatus;
  @ApiProperty({ type: OrgDomainRecordView, description: 'The record to set at your DNS provider, and to keep.' })
  record!: OrgDomainRecordView;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) verified_at?: string;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) checked_at?: string;
  @ApiPropertyOptional({
    enum: ORG_DOMAIN_PROBLEMS,
    description:
      'Why the last check did not succeed. `challenge_missing`: there is no TXT record with the expected value. ' +
      '`resolver_unavailable`: the name servers did not answer, which changes nothing. `taken_over`: another ' +
      'organization proved the domain while it was paused here.',
  })
  last_problem?: OrgDomainProblem;
  @ApiProperty({ format: 'date-time' }) created_at!: string;

  static of({ id, name, status, challengeToken, ...domain }: OrgDomain): OrgDomainView {
    const unicodeName = unicodeOf(name);
    return {
      id,
      name,
      ...(unicodeName === name ? {} : { unicode_name: unicodeName }),
      status,
      record: { type: 'TXT', name: challengeHostOf({ base: name }), value: challengeValueOf(challengeToken) },
      ...(domain.verifiedAt === null ? {} : { verified_at: domain.verifiedAt.toISOString() }),
      ...(domain.checkedAt === null ? {} : { checked_at: domain.checkedAt.toISOString() }),
      ...(domain.lastProblem === null ? {} : { last_problem: domain.lastProblem }),
      created_at: domain.createdAt.toISOString(),
    };
  }
}

export class OrgDomainAnswer {
  @ApiProperty({ type: OrgDomainView }) data!: OrgDomainView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class OrgDomainPageAnswer {
  @ApiProperty({ type: [OrgDomainView] }) data!: OrgDomainView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}
