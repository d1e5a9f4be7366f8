import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { pageEnvelope, PageQuery } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { RequireFeature } from '../../features/require-feature.js';
import { DatabaseBranchesService } from '../branches/database-branches.service.js';
import { DATABASE_ERRORS } from '../databases.errors.js';
import { CreateBranchBody } from './database-backups.dto.js';
import { DATABASE_COPY_REFUSALS } from './database-copy.refusals.js';
import { DatabaseAnswer, DatabasePageAnswer, DatabaseView } from './databases.dto.js';

@ApiTags('databases')
@Controller('api/v1/databases/:database_id/branches')
export class DatabaseBranchesController {
  constructor(private readonly branches: DatabaseBranchesService) {}

  @Get()
  @RequireScope('databases:read', { in: 'resource' })
  @ApiOperation({ summary: 'Lists the branches of a database, newest first.' })
  @ApiOkResponse({ type: DatabasePageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, DATABASE_ERRORS.database_not_found)
  async list(
    @Caller() call: Call,
    @Param('database_id') id: string,
    @Query() query: PageQuery,
  ): Promise<Envelope<DatabaseView[]>> {
    return pageEnvelope(await this.branches.list(call, id, query.page), (each) => DatabaseView.of(each));
  }

  @Post()
  @RequireFeature('databases')
  @RequireScope('databases:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({
    summary: 'Creates a branch: a database with a copy of all data of another one.',
    description: 'It is `creating` at first. Neither database sees later changes of the other.',
  })
  @ApiCreatedResponse({ type: DatabaseAnswer })
  @ApiRefusals(...DATABASE_COPY_REFUSALS)
  async create(
    @Caller() call: Call,
    @Param('database_id') id: string,
    @Body() { name }: CreateBranchBody,
  ): Promise<Envelope<DatabaseView>> {
    return new Envelope(DatabaseView.of(await this.branches.create(call, id, name)));
  }
}
