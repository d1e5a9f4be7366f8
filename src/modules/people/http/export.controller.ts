import { Controller, Get, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { HangUpSignal } from '../../../platform/http/hang-up.js';
import { type SentNews, sendLive } from '../../../platform/http/live-answer.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { CREDENTIAL_ERRORS } from '../../auth/auth.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import type { PersonalDatum } from '../../auth/personal-data.js';
import { RequireRecentSignIn } from '../../auth/require-recent-sign-in.js';
import { RequireCaller, TakesSession } from '../../auth/require-scope.js';
import { AccountExportService } from '../accounts/account-export.service.js';
import { ExportedDatumView } from './export.dto.js';

@ApiTags('me')
@TakesSession('only')
@RequireCaller()
@Controller('api/v1/me/export')
export class ExportController {
  constructor(private readonly exports: AccountExportService) {}

  @Get()
  @RequireRecentSignIn()
  @ApiExtraModels(ExportedDatumView)
  @ApiOperation({
    summary: 'Exports what the service keeps about you and in your personal organization.',
    description:
      'Streams one thing in each line, with the fields that the API shows elsewhere: your account, sessions, ' +
      'factors, keys, memberships and audit log, and the projects, repositories, deploys, usage and invoices of your ' +
      'personal organization. There are no secrets in it. The last line is `{"end":{"lines":…}}`, so that an export ' +
      'that broke off is recognized. Ten exports an hour.',
  })
  @ApiOkResponse({
    description: 'Things of all types.',
    content: { 'application/x-ndjson': { schema: { $ref: getSchemaPath(ExportedDatumView) } } },
  })
  @ApiRefusals(...ANY_CALLER, CREDENTIAL_ERRORS.recent_sign_in_required)
  async export(@Caller() call: Call, @Res() response: Response, @HangUpSignal() signal: AbortSignal): Promise<void> {
    const parts = await this.exports.begin(call);
    response.setHeader('Content-Disposition', `attachment; filename="${call.principal.user.username}.ndjson"`);
    await sendLive(response, 'lines', sentOf(parts), signal);
  }
}

/** The lines of an export, and how many there were. */
async function* sentOf(parts: AsyncIterable<PersonalDatum[]>): AsyncIterable<SentNews> {
  let lines = 0;
  for await (const part of parts) {
    lines += part.length;
    yield { lines: part };
  }
  yield { end: { lines } };
}
