import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsISO8601 } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { PageMeta } from '../../../platform/http/page.js';
import type { AuditPeriod } from '../../audit/audit-log.service.js';
import { type AuditEntryFields, fieldsOf, type NamedAuditEntry } from '../audit/audit-entry-fields.js';

class AuditActorView {
  @ApiPropertyOptional({ type: String, description: 'Absent if the service itself acted.' }) user_id?: string;
  @ApiPropertyOptional({ type: String }) username?: string;
  @ApiPropertyOptional({ type: String, description: 'API key that was used, if any.' }) key_id?: string;
}

class AuditTargetView {
  @ApiProperty({ example: 'user' }) type!: string;
  @ApiProperty() id!: string;
}

export class AuditEntryView implements AuditEntryFields {
  @ApiProperty({ example: 'aud_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ format: 'date-time' }) at!: string;
  @ApiProperty({ example: 'member.role_changed' }) action!: string;
  @ApiProperty({ type: AuditActorView }) actor!: AuditActorView;
  @ApiProperty({ type: AuditTargetView }) target!: AuditTargetView;
  @ApiPropertyOptional({ type: String }) ip?: string;
  @ApiPropertyOptional({ type: String }) request_id?: string;
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'Details of this action.' })
  details!: Readonly<Record<string, unknown>>;

  static of(entry: NamedAuditEntry): AuditEntryView {
    return fieldsOf(entry);
  }
}

export class AuditPageAnswer {
  @ApiProperty({ type: [AuditEntryView] }) data!: AuditEntryView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}

const TIME = { type: String, format: 'date-time' };

export class AuditExportQuery {
  @ApiPropertyOptional({ ...TIME, example: '2026-10-01T00:00:00Z', description: 'Start. Defaults to the beginning.' })
  @MayBeAbsent()
  @IsISO8601({ strict: true })
  readonly from?: string;

  @ApiPropertyOptional({ ...TIME, example: '2026-11-01T00:00:00Z', description: 'End, excluded. Defaults to now.' })
  @MayBeAbsent()
  @IsISO8601({ strict: true })
  readonly to?: string;

  get period(): AuditPeriod {
    const [from, to] = [this.from, this.to].map((time) => (time === undefined ? undefined : new Date(time)));
    return { from, to };
  }
}
