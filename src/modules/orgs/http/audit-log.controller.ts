import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import type { Envelope } from '../../../platform/http/envelope.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { OrgAuditLogService } from '../audit/org-audit-log.service.js';
import { ORG_ERRORS } from '../orgs.errors.js';
import { AuditEntryView, AuditPageAnswer } from './audit-log.dto.js';

@ApiTags('organizations')
@Controller('api/v1/orgs/:org_id/audit-log')
export class AuditLogController {
  constructor(private readonly audit: OrgAuditLogService) {}

  @Get()
  @TakesSession('or_key')
  @RequireScope('audit:read', { in: 'resource' })
  @ApiOperation({
    summary: 'Lists the audit log of an organization, newest first.',
    description: 'Each entry names the action, its target, the actor, and the IP address that it came from.',
  })
  @ApiOkResponse({ type: AuditPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, ORG_ERRORS.organization_not_found)
  async list(
    @Caller() call: Call,
    @Param('org_id') orgIdOrSlug: string,
    @Query() query: PageQuery,
  ): Promise<Envelope<AuditEntryView[]>> {
    return pageEnvelope(await this.audit.list(orgIdOrSlug, query.page, call), (entry) => AuditEntryView.of(entry));
  }
}
