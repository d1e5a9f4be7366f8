import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { CREDIT_ERRORS } from '../../credits/credits.errors.js';
import { RequireFeature } from '../../features/require-feature.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { OPERATOR_ERRORS } from '../../operators/operators.errors.js';
import { PLAN_ERRORS } from '../../plans/plans.errors.js';
import { PROJECT_ERRORS } from '../../projects/projects.errors.js';
import { DATABASE_ERRORS } from '../databases.errors.js';
import { DatabasesService } from '../domain/databases.service.js';
import {
  CreateDatabaseBody,
  DatabaseAnswer,
  DatabaseListQuery,
  DatabasePageAnswer,
  DatabaseView,
  UpdateDatabaseBody,
} from './databases.dto.js';

/** What may keep an organization from one more database. */
const NO_ROOM = [
  PLAN_ERRORS.plan_limit_reached,
  CREDIT_ERRORS.credits_exhausted,
  CREDIT_ERRORS.spend_cap_reached,
  GENERIC_ERRORS.already_exists,
  OPERATOR_ERRORS.feature_disabled,
] as const;

@ApiTags('databases')
@Controller('api/v1/databases')
export class DatabasesController {
  constructor(private readonly databases: DatabasesService) {}

  @Post()
  @RequireFeature('databases')
  @RequireScope('databases:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({
    summary: 'Creates an empty PostgreSQL database.',
    description: 'It is `creating` at first, and `ready` within seconds.',
  })
  @ApiCreatedResponse({ type: DatabaseAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    ...NO_ROOM,
    PROJECT_ERRORS.project_not_found,
    DATABASE_ERRORS.database_unavailable,
  )
  async create(@Caller() call: Call, @Body() { input }: CreateDatabaseBody): Promise<Envelope<DatabaseView>> {
    return new Envelope(DatabaseView.of(await this.databases.create(call, input)));
  }

  @Get()
  @RequireScope('databases:read', { in: 'resource' })
  @ApiOperation({ summary: 'Lists the databases of an organization, newest first.' })
  @ApiOkResponse({ type: DatabasePageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, PROJECT_ERRORS.project_not_found)
  async list(@Caller() call: Call, @Query() query: DatabaseListQuery): Promise<Envelope<DatabaseView[]>> {
    return pageEnvelope(await this.databases.list(call, query.filter, query.page), (each) => DatabaseView.of(each));
  }

  @Get(':database_id')
  @RequireScope('databases:read', { in: 'resource' })
  @ApiOperation({ summary: 'Returns a database. A deleted one is returned while its deletion can be undone.' })
  @ApiOkResponse({ type: DatabaseAnswer })
  @ApiRefusals(...ANY_CALLER, DATABASE_ERRORS.database_not_found)
  async get(@Caller() call: Call, @Param('database_id') id: string): Promise<Envelope<DatabaseView>> {
    return new Envelope(DatabaseView.of(await this.databases.get(call, id)));
  }

  @Patch(':database_id')
  @RequireScope('databases:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({
    summary: 'Updates a database. Absent fields stay the same.',
    description: 'Its connection URLs never change.',
  })
  @ApiOkResponse({ type: DatabaseAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    DATABASE_ERRORS.database_not_found,
    PROJECT_ERRORS.project_not_found,
    GENERIC_ERRORS.already_exists,
  )
  async update(
    @Caller() call: Call,
    @Param('database_id') id: string,
    @Body() { input }: UpdateDatabaseBody,
  ): Promise<Envelope<DatabaseView>> {
    return new Envelope(DatabaseView.of(await this.databases.update(call, id, input)));
  }

  @Delete(':database_id')
  @RequireScope('databases:admin', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Deletes a database, and ends its connections.',
    description:
      'It costs nothing from then on. The deletion can be undone for 7 days. An organization keeps as many deleted ' +
      'databases as its plan has databases; beyond that, the one that was deleted first is removed.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    DATABASE_ERRORS.database_not_found,
    DATABASE_ERRORS.database_busy,
    DATABASE_ERRORS.branch_has_children,
  )
  async delete(@Caller() call: Call, @Param('database_id') id: string): Promise<void> {
    await this.databases.delete(call, id);
  }

  @Post(':database_id/purge')
  @RequireScope('databases:admin', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Removes a deleted database for good, with its backups.',
    description:
      'Use it where data must be gone before the 7 days are over. A database that is not deleted is not found.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, DATABASE_ERRORS.database_not_found, DATABASE_ERRORS.database_busy)
  async purge(@Caller() call: Call, @Param('database_id') id: string): Promise<void> {
    await this.databases.purge(call, id);
  }

  @Post(':database_id/undelete')
  @RequireFeature('databases')
  @RequireScope('databases:admin', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Undoes the deletion of a database within 7 days, with all of its data.' })
  @ApiOkResponse({ type: DatabaseAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    ...NO_ROOM,
    DATABASE_ERRORS.database_not_found,
    DATABASE_ERRORS.database_busy,
  )
  async undelete(@Caller() call: Call, @Param('database_id') id: string): Promise<Envelope<DatabaseView>> {
    return new Envelope(DatabaseView.of(await this.databases.undelete(call, id)));
  }
}
