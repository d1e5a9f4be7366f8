import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import type { Envelope } from '../../../platform/http/envelope.js';
import { HangUpSignal } from '../../../platform/http/hang-up.js';
import { type SentNews, sendLive } from '../../../platform/http/live-answer.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import type { NamedAuditEntry } from '../audit/audit-entry-fields.js';
import { OrgAuditLogService } from '../audit/org-audit-log.service.js';
import { ORG_ERRORS } from '../orgs.errors.js';
import { AuditEntryView, AuditExportQuery, AuditPageAnswer } from './audit-log.dto.js';

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

  @Get('export')
  @ApiParam({ name: 'org_id' })
  @TakesSession('or_key')
  @RequireScope('audit:read', { in: 'resource' })
  @ApiOperation({
    summary: 'Exports the audit log of an organization, oldest first.',
    description:
      'Streams an entry in each line. The last line is `{"end":{"entries":…}}`, so that an export that broke off is ' +
      'recognized.',
  })
  @ApiOkResponse({
    description: 'Entries of the log.',
    content: { 'application/x-ndjson': { schema: { $ref: getSchemaPath(AuditEntryView) } } },
  })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, ORG_ERRORS.organization_not_found)
  async export(
    @Caller() call: Call,
    @Query() query: AuditExportQuery,
    @Res() response: Response,
    @HangUpSignal() signal: AbortSignal,
  ): Promise<void> {
    const org = response.req.params['org_id'] as string;
    await sendLive(response, 'lines', sentOf(this.audit.export(org, query.period, call)), signal);
  }
}

/** The lines of an export, and how many there were. */
async function* sentOf(parts: AsyncIterable<NamedAuditEntry[]>): AsyncIterable<SentNews> {
  let entries = 0;
  for await (const part of parts) {
    entries += part.length;
    // They have no numbers, as an export is not resumed.
    yield { lines: part.map((entry): AuditEntryView & { seq?: undefined } => AuditEntryView.of(entry)) };
  }
  yield { end: { entries } };
}
