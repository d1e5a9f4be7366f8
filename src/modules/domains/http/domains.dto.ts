import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsString, MaxLength } from 'class-validator';
import { MayBeAbsent, MayBeCleared } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, PageMeta } from '../../../platform/http/page.js';
import { CHECK_PROBLEMS, type CheckProblem, DOMAIN_STATES, type DomainState } from '../claims/domain-state.js';
import type { CreateDomainInput } from '../claims/domains.service.js';
import type { DomainChoices } from '../persistence/domain.entity.js';

const MAX_TYPED = 1_000;
const NAME = {
  maxLength: MAX_TYPED,
  example: 'shop.example.com',
  description: 'The domain, in ASCII or as people read it. `*.example.com` stands for all names one level below.',
};
const REDIRECT = {
  type: String,
  maxLength: MAX_TYPED,
  example: 'example.com',
  description: 'Another domain of the project that visitors are sent to, with status 308.',
};
const HTTPS = 'Sends visitors who come over http to https.';
const HSTS = 'Tells browsers to use only https for this name for a year. Switch it on once https works.';

export class CreateDomainBody {
  @ApiProperty(NAME)
  @IsString()
  @MaxLength(MAX_TYPED)
  readonly name!: string;

  @ApiPropertyOptional(REDIRECT)
  @MayBeAbsent()
  @IsString()
  @MaxLength(MAX_TYPED)
  readonly redirect_to?: string;

  @ApiPropertyOptional({ default: true, example: true, description: HTTPS })
  @MayBeAbsent()
  @IsBoolean()
  readonly https_redirect?: boolean;

  @ApiPropertyOptional({ default: false, example: false, description: HSTS })
  @MayBeAbsent()
  @IsBoolean()
  readonly hsts?: boolean;

  @ApiPropertyOptional({
    default: false,
    example: true,
    description: 'Also adds `www.` before the name, as a redirect to it.',
  })
  @MayBeAbsent()
  @IsBoolean()
  readonly www_redirect?: boolean;

  get input(): CreateDomainInput {
    return {
      name: this.name,
      choices: {
        redirectTo: this.redirect_to ?? null,
        httpsRedirect: this.https_redirect ?? true,
        hsts: this.hsts ?? false,
      },
      withWww: this.www_redirect ?? false,
    };
  }
}

/** Absent fields stay the same. */
export class ChangeDomainBody {
  @ApiPropertyOptional({ ...REDIRECT, nullable: true, description: `${REDIRECT.description} Null serves the project.` })
  @MayBeCleared()
  @IsString()
  @MaxLength(MAX_TYPED)
  readonly redirect_to?: string | null;

  @ApiPropertyOptional({ example: true, description: HTTPS })
  @MayBeAbsent()
  @IsBoolean()
  readonly https_redirect?: boolean;

  @ApiPropertyOptional({ example: false, description: HSTS })
  @MayBeAbsent()
  @IsBoolean()
  readonly hsts?: boolean;

  get choices(): Partial<DomainChoices> {
    const { redirect_to: redirectTo, https_redirect: httpsRedirect, hsts } = this;
    return {
      ...(redirectTo === undefined ? {} : { redirectTo }),
      ...(httpsRedirect === undefined ? {} : { httpsRedirect }),
      ...(hsts === undefined ? {} : { hsts }),
    };
  }
}

export const RECORD_TYPES = ['TXT', 'CNAME', 'A', 'AAAA', 'ALIAS'] as const;
export const RECORD_STATUSES = ['unchecked', 'found', 'missing', 'other', 'unknown'] as const;

export class DomainRecordView {
  @ApiProperty({
    enum: RECORD_TYPES,
    description: '`ALIAS` is the record that DNS providers offer instead of a CNAME at the top of a zone.',
  })
  type!: (typeof RECORD_TYPES)[number];
  @ApiProperty({ example: '_service-challenge.example.com' }) name!: string;
  @ApiProperty({ example: 'service-verification=7d1f…' }) value!: string;
  @ApiProperty({
    enum: ['verification', 'routing'],
    description: '`verification` proves that the domain is yours, `routing` leads its visitors here.',
  })
  purpose!: 'verification' | 'routing';
  @ApiProperty({
    enum: RECORD_STATUSES,
    description: 'The result of the last check. `other`: a record exists, but with another value.',
  })
  status!: (typeof RECORD_STATUSES)[number];
  @ApiProperty({ type: [String], description: 'What the last check found in its place, at most 10 values.' })
  seen!: readonly string[];
}

export class DomainProblemView {
  @ApiProperty({ enum: CHECK_PROBLEMS }) code!: CheckProblem;
  @ApiProperty({ example: 'No TXT record with the expected value exists.' }) message!: string;
}

export class DomainView {
  @ApiProperty({ example: 'dom_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'prj_01jd3m8yeqf5rb0xkq5ym8s6tn' }) project_id!: string;
  @ApiProperty({ example: 'xn--bcher-kva.de', description: 'The name in ASCII and lower case.' }) name!: string;
  @ApiProperty({ example: 'bücher.de', description: 'The name as people read it.' }) unicode_name!: string;
  @ApiProperty({
    enum: DOMAIN_STATES,
    description:
      '`pending`: not proved. `verified`: proved, but it does not lead here yet. `active`: served. ' +
      '`misconfigured`: checks fail; served until `served_until`.',
  })
  state!: DomainState;
  @ApiPropertyOptional({ type: String }) redirect_to?: string;
  @ApiProperty({ description: HTTPS }) https_redirect!: boolean;
  @ApiProperty({ description: HSTS }) hsts!: boolean;
  @ApiProperty({ type: [DomainRecordView], description: 'The records to set at your DNS provider, and to keep.' })
  records!: readonly DomainRecordView[];
  @ApiPropertyOptional({ type: DomainProblemView, description: 'Why the last check did not succeed.' })
  problem?: DomainProblemView;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) verified_at?: string;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) active_at?: string;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) checked_at?: string;
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'The next automatic check. Absent when there is none.',
  })
  next_check_at?: string;
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'When the domain is lost unless a check succeeds before. Only while checks fail.',
  })
  served_until?: string;
}

export class DomainAnswer {
  @ApiProperty({ type: DomainView }) data!: DomainView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class DomainPageAnswer {
  @ApiProperty({ type: [DomainView] }) data!: DomainView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}
