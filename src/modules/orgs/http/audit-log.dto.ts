import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PageMeta } from '../../../platform/http/page.js';
import type { NamedAuditEntry } from '../audit/org-audit-log.service.js';

class AuditActorView {
  @ApiPropertyOptional({ type: String, description: 'Absent if the service itself acted.' }) user_id?: string;
  @ApiPropertyOptional({ type: String }) username?: string;
  @ApiPropertyOptional({ type: String, description: 'API key that was used, if any.' }) key_id?: string;
}

class AuditTargetView {
  @ApiProperty({ example: 'user' }) type!: string;
  @ApiProperty() id!: string;
}

export class AuditEntryView {
  @ApiProperty({ example: 'aud_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ format: 'date-time' }) at!: string;
  @ApiProperty({ example: 'member.role_changed' }) action!: string;
  @ApiProperty({ type: AuditActorView }) actor!: AuditActorView;
  @ApiProperty({ type: AuditTargetView }) target!: AuditTargetView;
  @ApiPropertyOptional({ type: String }) ip?: string;
  @ApiPropertyOptional({ type: String }) request_id?: string;
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'Details of this action.' })
  details!: Readonly<Record<string, unknown>>;

  static of({ entry, actorUsername }: NamedAuditEntry): AuditEntryView {
    const { id, at, action, actorUserId, actorKeyId, targetType, targetId, ip, requestId, details } = entry;
    return {
      id,
      at: at.toISOString(),
      action,
      actor: {
        ...(actorUserId === null ? {} : { user_id: actorUserId }),
        ...(actorUsername === null ? {} : { username: actorUsername }),
        ...(actorKeyId === null ? {} : { key_id: actorKeyId }),
      },
      target: { type: targetType, id: targetId },
      ...(ip === null ? {} : { ip }),
      ...(requestId === null ? {} : { request_id: requestId }),
      details,
    };
  }
}

export class AuditPageAnswer {
  @ApiProperty({ type: [AuditEntryView] }) data!: AuditEntryView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}
