import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsObject, IsString, MaxLength, ValidateBy } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, PageMeta, PageQuery } from '../../../platform/http/page.js';
import type { DecideApprovalInput } from '../approvals/approval-decisions.js';
import {
  type Approval,
  APPROVAL_REASONS,
  APPROVAL_STATES,
  type ApprovalReason,
  type ApprovalState,
} from '../domain/approval.js';
import { isStorable } from './run-fields.js';

const ARGUMENTS = {
  type: 'object' as const,
  additionalProperties: true,
  example: { branch: 'main', type: 'production' },
};

const IsStorable = (): PropertyDecorator =>
  ValidateBy({
    name: 'isStorable',
    validator: { validate: isStorable, defaultMessage: () => 'arguments must be JSON of at most 262144 bytes' },
  });

export class DecideApprovalBody {
  @ApiProperty({ enum: ['approve', 'deny'], example: 'approve' })
  @IsIn(['approve', 'deny'])
  readonly decision!: 'approve' | 'deny';

  @ApiPropertyOptional({ ...ARGUMENTS, description: 'Replaces the arguments of the model. It learns of the change.' })
  @MayBeAbsent()
  @IsObject()
  @IsStorable()
  readonly arguments?: Readonly<Record<string, unknown>>;

  @ApiPropertyOptional({ type: String, maxLength: 2_000, example: 'Not on a Friday.' })
  @MayBeAbsent()
  @IsString()
  @MaxLength(2_000)
  readonly note?: string;

  get input(): DecideApprovalInput {
    return { decision: this.decision, arguments: this.arguments, note: this.note?.replaceAll('\0', '') };
  }
}

export class ApprovalsQuery extends PageQuery {
  @ApiPropertyOptional({ enum: APPROVAL_STATES, example: 'waiting', description: 'Only those in this state.' })
  @MayBeAbsent()
  @IsIn(APPROVAL_STATES)
  readonly state?: ApprovalState;

  @ApiPropertyOptional({
    type: String,
    example: 'run_01jd3m8yeqf5rb0xkq5ym8s6tn',
    description: 'Only the approvals of this run.',
  })
  @MayBeAbsent()
  @IsString()
  readonly run_id?: string;
}

export class ApprovalView {
  @ApiProperty({ example: 'apr_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'run_01jd3m8yeqf5rb0xkq5ym8s6tn' }) run_id!: string;
  @ApiProperty({ example: 'agt_01jd3m8yeqf5rb0xkq5ym8s6tn' }) agent_id!: string;
  @ApiProperty({ example: 'tcl_01jd3m8yeqf5rb0xkq5ym8s6tn' }) call_id!: string;
  @ApiProperty({ example: 'deploy_project' }) tool!: string;
  @ApiProperty({ ...ARGUMENTS, description: 'Exactly these arguments run once the call is approved.' })
  arguments!: Readonly<Record<string, unknown>>;
  @ApiProperty({
    enum: APPROVAL_REASONS,
    description:
      'rule: the version asks for it. tainted: the run has read text from outside. tool: the tool asks for it.',
  })
  reason!: ApprovalReason;
  @ApiProperty({ enum: APPROVAL_STATES, description: 'void: the run ended, or the call was changed.' })
  state!: ApprovalState;
  @ApiProperty({
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    description: 'SHA-256 of the definition of the tool, the arguments and the version.',
  })
  digest!: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ format: 'date-time' }) expires_at!: string;
  @ApiPropertyOptional({ format: 'date-time', type: String }) decided_at?: string;
  @ApiPropertyOptional({ type: String, example: 'usr_01jd3m8yeqf5rb0xkq5ym8s6tn' }) decided_by?: string;
  @ApiPropertyOptional({ type: String, example: 'Not on a Friday.' }) note?: string;

  static of(approval: Approval): ApprovalView {
    const { decidedAt, decidedBy, note } = approval;
    return {
      id: approval.id,
      run_id: approval.runId,
      agent_id: approval.agentId,
      call_id: approval.callId,
      tool: approval.tool,
      arguments: approval.arguments,
      reason: approval.reason,
      state: approval.state,
      digest: approval.digest,
      created_at: approval.createdAt.toISOString(),
      expires_at: approval.expiresAt.toISOString(),
      ...(decidedAt === null ? {} : { decided_at: decidedAt.toISOString() }),
      ...(decidedBy === null ? {} : { decided_by: decidedBy }),
      ...(note === null ? {} : { note }),
    };
  }
}

export class ApprovalAnswer {
  @ApiProperty({ type: ApprovalView }) data!: ApprovalView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class ApprovalPageAnswer {
  @ApiProperty({ type: [ApprovalView] }) data!: ApprovalView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}
