import {
  Body,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  HttpCode,
  HttpStatus,
  Param,
  Post,
} from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { isDryRun } from '../../../platform/http/dry-run.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { HangUpSignal, hangUpOf } from '../../../platform/http/hang-up.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { DATABASE_ERRORS } from '../databases.errors.js';
import { DatabaseInspection } from '../sql/database-inspection.js';
import { DatabaseQueries, type QueryConditions } from '../sql/database-queries.js';
import {
  DatabaseSchemaAnswer,
  DatabaseSchemaView,
  DatabaseStatsAnswer,
  DatabaseStatsView,
} from './database-inspection.dto.js';
import { DatabaseQueryAnswer, DatabaseQueryBody, DatabaseQueryView } from './database-queries.dto.js';

const FAILURES = [
  DATABASE_ERRORS.database_not_found,
  DATABASE_ERRORS.database_unavailable,
  DATABASE_ERRORS.query_timeout,
  GENERIC_ERRORS.service_unavailable,
] as const;

const Conditions = createParamDecorator((_: unknown, context: ExecutionContext): QueryConditions => {
  const http = context.switchToHttp();
  return { signal: hangUpOf(http.getResponse<Response>()), isDryRun: isDryRun(http.getRequest<Request>()) };
});

@ApiTags('databases')
@Controller('api/v1/databases/:database_id')
export class DatabaseQueriesController {
  constructor(
    private readonly queries: DatabaseQueries,
    private readonly inspection: DatabaseInspection,
  ) {}

  @Post('query')
  @RequireScope('databases:read', { in: 'resource' })
  @TakesJson({ actsOutside: true })
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Runs one SQL statement on a database.',
    description:
      'Each call has a session of its own, so nothing of it stays but what `access: write` has changed. For many ' +
      'statements, connect with a client of PostgreSQL.',
  })
  @ApiOkResponse({ type: DatabaseQueryAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, DATABASE_ERRORS.query_failed, ...FAILURES)
  async query(
    @Caller() call: Call,
    @Param('database_id') id: string,
    @Body() { input }: DatabaseQueryBody,
    @Conditions() conditions: QueryConditions,
  ): Promise<Envelope<DatabaseQueryView>> {
    return new Envelope(DatabaseQueryView.of(await this.queries.run(call, id, input, conditions)));
  }

  @Get('schema')
  @RequireScope('databases:read', { in: 'resource' })
  @ApiOperation({ summary: 'Returns the tables of a database, with their columns, indexes and sizes.' })
  @ApiOkResponse({ type: DatabaseSchemaAnswer })
  @ApiRefusals(...ANY_CALLER, ...FAILURES)
  async schema(
    @Caller() call: Call,
    @Param('database_id') id: string,
    @HangUpSignal() signal: AbortSignal,
  ): Promise<Envelope<DatabaseSchemaView>> {
    return new Envelope(DatabaseSchemaView.of(await this.inspection.schema(call, id, signal)));
  }

  @Get('stats')
  @RequireScope('databases:read', { in: 'resource' })
  @ApiOperation({
    summary: 'Returns what a database does: its connections, cache, largest tables and slow statements.',
  })
  @ApiOkResponse({ type: DatabaseStatsAnswer })
  @ApiRefusals(...ANY_CALLER, ...FAILURES)
  async stats(
    @Caller() call: Call,
    @Param('database_id') id: string,
    @HangUpSignal() signal: AbortSignal,
  ): Promise<Envelope<DatabaseStatsView>> {
    return new Envelope(DatabaseStatsView.of(await this.inspection.stats(call, id, signal)));
  }
}
