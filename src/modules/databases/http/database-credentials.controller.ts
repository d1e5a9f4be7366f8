import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { PLAN_ERRORS } from '../../plans/plans.errors.js';
import { DatabaseCredentialsService } from '../credentials/database-credentials.service.js';
import { DATABASE_ERRORS } from '../databases.errors.js';
import {
  CreateDatabaseCredentialBody,
  DatabaseCredentialPageAnswer,
  DatabaseCredentialView,
  IssuedDatabaseCredentialAnswer,
  IssuedDatabaseCredentialView,
  RotateDatabaseCredentialBody,
} from './database-credentials.dto.js';

@ApiTags('databases')
@Controller('api/v1/databases/:database_id/credentials')
export class DatabaseCredentialsController {
  constructor(private readonly credentials: DatabaseCredentialsService) {}

  @Get()
  @RequireScope('databases:read', { in: 'resource' })
  @ApiOperation({ summary: 'Lists the credentials of a database, newest first and without their passwords.' })
  @ApiOkResponse({ type: DatabaseCredentialPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, DATABASE_ERRORS.database_not_found)
  async list(
    @Caller() call: Call,
    @Param('database_id') id: string,
    @Query() query: PageQuery,
  ): Promise<Envelope<DatabaseCredentialView[]>> {
    return pageEnvelope(await this.credentials.list(call, id, query.page), (each) => DatabaseCredentialView.of(each));
  }

  @Post()
  @RequireScope('databases:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({
    summary: 'Creates a credential, with which clients of PostgreSQL connect.',
    description: 'The connection URL is returned once and cannot be read again.',
  })
  @ApiCreatedResponse({ type: IssuedDatabaseCredentialAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, DATABASE_ERRORS.database_not_found, PLAN_ERRORS.plan_limit_reached)
  async create(
    @Caller() call: Call,
    @Param('database_id') id: string,
    @Body() body: CreateDatabaseCredentialBody,
  ): Promise<Envelope<IssuedDatabaseCredentialView>> {
    return new Envelope(IssuedDatabaseCredentialView.issued(await this.credentials.create(call, id, body.input)));
  }

  @Post(':credential_id/rotate')
  @RequireScope('databases:write', { in: 'resource' })
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Replaces a credential by a new one with the same name and access.',
    description:
      'The new user and URL are returned once. The old ones work for another `grace_seconds`, and then their ' +
      'connections end.',
  })
  @ApiOkResponse({ type: IssuedDatabaseCredentialAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    DATABASE_ERRORS.database_not_found,
    DATABASE_ERRORS.database_credential_not_found,
    PLAN_ERRORS.plan_limit_reached,
  )
  async rotate(
    @Caller() call: Call,
    @Param('database_id') id: string,
    @Param('credential_id') credentialId: string,
    @Body() { grace_seconds }: RotateDatabaseCredentialBody,
  ): Promise<Envelope<IssuedDatabaseCredentialView>> {
    const issued = await this.credentials.rotate(call, id, credentialId, grace_seconds);
    return new Envelope(IssuedDatabaseCredentialView.issued(issued));
  }

  @Delete(':credential_id')
  @RequireScope('databases:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Deletes a credential. Its connections end within seconds.' })
  @ApiNoContentResponse()
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    DATABASE_ERRORS.database_not_found,
    DATABASE_ERRORS.database_credential_not_found,
  )
  delete(
    @Caller() call: Call,
    @Param('database_id') id: string,
    @Param('credential_id') credentialId: string,
  ): Promise<void> {
    return this.credentials.delete(call, id, credentialId);
  }
}
