import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { ApprovalDecisions } from '../approvals/approval-decisions.js';
import { ApprovalsReader } from '../approvals/approvals-reader.js';
import { RUN_ERRORS } from '../runs.errors.js';
import {
  ApprovalAnswer,
  ApprovalPageAnswer,
  ApprovalsQuery,
  ApprovalView,
  DecideApprovalBody,
} from './approvals.dto.js';

@ApiTags('agents')
@Controller('api/v1/approvals')
export class ApprovalsController {
  constructor(
    private readonly approvals: ApprovalsReader,
    private readonly decisions: ApprovalDecisions,
  ) {}

  @Get()
  @RequireScope('agents:read')
  @ApiOperation({ summary: 'Lists the approvals of the organization of the call, newest first.' })
  @ApiOkResponse({ type: ApprovalPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request)
  async list(@Caller() call: Call, @Query() query: ApprovalsQuery): Promise<Envelope<ApprovalView[]>> {
    const filter = { state: query.state, runId: query.run_id };
    return pageEnvelope(await this.approvals.list(call, filter, query.page), (each) => ApprovalView.of(each));
  }

  @Get(':approval_id')
  @RequireScope('agents:read', { in: 'resource' })
  @ApiOperation({ summary: 'Returns an approval.' })
  @ApiOkResponse({ type: ApprovalAnswer })
  @ApiRefusals(...ANY_CALLER, RUN_ERRORS.approval_not_found)
  async get(@Caller() call: Call, @Param('approval_id') id: string): Promise<Envelope<ApprovalView>> {
    return new Envelope(ApprovalView.of(await this.approvals.get(call, id)));
  }

  @Post(':approval_id')
  @RequireScope('agents:write', { in: 'resource' })
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Approves or denies a call of a tool.',
    description:
      'Exactly what was approved runs, once, and the run goes on. With `arguments`, these run in place of those of ' +
      'the model. Runs of agents cannot decide.',
  })
  @ApiOkResponse({ type: ApprovalAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    RUN_ERRORS.approval_not_found,
    RUN_ERRORS.approval_not_allowed,
    RUN_ERRORS.approval_already_decided,
    RUN_ERRORS.approval_expired,
  )
  async decide(
    @Caller() call: Call,
    @Param('approval_id') id: string,
    @Body() body: DecideApprovalBody,
  ): Promise<Envelope<ApprovalView>> {
    return new Envelope(ApprovalView.of(await this.decisions.decide(call, id, body.input)));
  }
}
