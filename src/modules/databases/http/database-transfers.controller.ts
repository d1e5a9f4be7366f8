import { pipeline } from 'node:stream/promises';
import { Controller, Get, HttpCode, HttpStatus, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { isDryRun } from '../../../platform/http/dry-run.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { HangUpSignal, hangUpOf } from '../../../platform/http/hang-up.js';
import { TakesNothing } from '../../../platform/http/json-body.js';
import { letTakeLong } from '../../../platform/http/long-request.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { DATABASE_ERRORS } from '../databases.errors.js';
import { DatabaseExport, type ExportFormat } from '../transfer/database-export.js';
import { DatabaseImport } from '../transfer/database-import.js';
import { DatabaseExportQuery, DatabaseImportAnswer, type DatabaseImportView } from './database-transfers.dto.js';

const FAILURES = [
  DATABASE_ERRORS.database_not_found,
  DATABASE_ERRORS.database_unavailable,
  DATABASE_ERRORS.query_failed,
  GENERIC_ERRORS.service_unavailable,
] as const;

const FILES: Readonly<Record<ExportFormat, { readonly type: string; readonly extension: string }>> = {
  sql: { type: 'application/sql; charset=utf-8', extension: 'sql' },
  custom: { type: 'application/octet-stream', extension: 'dump' },
};

@ApiTags('databases')
@Controller('api/v1/databases/:database_id')
export class DatabaseTransfersController {
  constructor(
    private readonly exports: DatabaseExport,
    private readonly imports: DatabaseImport,
  ) {}

  @Get('export')
  @RequireScope('databases:write', { in: 'resource' })
  @ApiProduces('application/sql', 'application/octet-stream')
  @ApiOperation({
    summary: 'Returns a database as SQL or for `pg_restore`: its definitions and rows of one moment.',
    description:
      'Needs `databases:write`, because it has the rows too that row-level security hides from readers. ' +
      'SQL has neither owners nor privileges, and a last line that says that it is complete. ' +
      'For the format `custom`, the host of the database needs `pg_dump`: without it the answer is ' +
      '`export_format_unavailable`. ' +
      'An export that fails on its way breaks off the response.',
  })
  @ApiOkResponse({
    description: 'The SQL, or the archive.',
    schema: { type: 'string', example: 'CREATE TABLE public.people (id integer);' },
  })
  @ApiRefusals(...ANY_CALLER, ...FAILURES, GENERIC_ERRORS.invalid_request, DATABASE_ERRORS.export_format_unavailable)
  async export(
    @Caller() call: Call,
    @Param('database_id') id: string,
    @Query() { format }: DatabaseExportQuery,
    @Res() response: Response,
  ): Promise<void> {
    await this.exports.run(call, { id, format }, hangUpOf(response), async (exported) => {
      const { type, extension } = FILES[format];
      response.setHeader('Content-Type', type);
      response.setHeader('Content-Disposition', `attachment; filename="${id}.${extension}"`);
      response.setHeader('Cache-Control', 'no-store');
      // The caller sees that the response breaks off.
      await pipeline(exported, response).catch(() => response.destroy());
    });
  }

  @Post('import')
  @RequireScope('databases:admin', { in: 'resource' })
  @TakesNothing({ actsOutside: true })
  @HttpCode(HttpStatus.OK)
  @ApiConsumes('application/octet-stream', 'application/sql')
  @ApiBody({ schema: { type: 'string', format: 'binary', example: 'CREATE TABLE people (id integer);' } })
  @ApiOperation({
    summary: 'Runs a file of SQL in a database: all of it or nothing.',
    description:
      'The body is SQL as an export or `pg_dump --no-owner --no-privileges` writes it, with `COPY … FROM stdin`. ' +
      'It is one transaction of at most an hour. `details.line` of an error is the line that failed.',
  })
  @ApiOkResponse({ type: DatabaseImportAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, ...FAILURES)
  async import(
    @Caller() call: Call,
    @Param('database_id') id: string,
    @Req() request: Request,
    @HangUpSignal() signal: AbortSignal,
  ): Promise<Envelope<DatabaseImportView>> {
    const isRehearsal = isDryRun(request);
    letTakeLong(request.res!);
    const { statements } = await this.imports.run(call, id, isRehearsal ? undefined : request, signal);
    return new Envelope({ statements }, isRehearsal ? { dry_run: true } : {});
  }
}
