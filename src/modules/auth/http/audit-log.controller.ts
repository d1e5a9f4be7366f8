import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ANY_CALLER, ApiRefusals } from '../../../platform/http/api-refusals.js';
import type { Envelope } from '../../../platform/http/envelope.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { AuditLogService } from '../audit/audit-log.service.js';
import { type Call, Caller } from '../caller.js';
import { OrgOfPath } from '../orgs/org-of-path.service.js';
import { RequireScope, TakesSession } from '../require-scope.js';
import { AuditEntryView, AuditPageAnswer } from './audit-log.dto.js';

@ApiTags('organizations')
@Controller('api/v1/orgs/:org_id/audit-log')
export class AuditLogController {
  constructor(
    private readonly audit: AuditLogService,
    private readonly paths: OrgOfPath,
  ) {}

  @Get()
  @TakesSession('or_key')
  @RequireScope('audit:read', { in: 'resource' })
  @ApiOperation({ summary: 'Lists what was done in an organization, by whom and from where; the latest first.' })
  @ApiOkResponse({ type: AuditPageAnswer })
  @ApiRefusals(...ANY_CALLER, 'invalid_request', 'organization_not_found')
  async list(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Query() query: PageQuery,
  ): Promise<Envelope<AuditEntryView[]>> {
    const { id } = this.paths.require(call, org, 'audit:read');
    return pageEnvelope(await this.audit.list(id, query.wish), (entry) => AuditEntryView.of(entry));
  }
}
