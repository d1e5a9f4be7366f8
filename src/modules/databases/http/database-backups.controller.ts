import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { DryRun } from '../../../platform/http/dry-run.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { pageEnvelope, PageQuery } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { RequireFeature } from '../../features/require-feature.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { OPERATOR_ERRORS } from '../../operators/operators.errors.js';
import { DatabaseBackupsService } from '../backups/database-backups.service.js';
import { DatabaseRestoresService } from '../backups/database-restores.service.js';
import { DatabaseSwapsService } from '../branches/database-swaps.service.js';
import { DATABASE_ERRORS } from '../databases.errors.js';
import {
  DatabaseBackupAnswer,
  DatabaseBackupPageAnswer,
  DatabaseBackupView,
  RestoreDatabaseBody,
  SwapDatabaseBody,
} from './database-backups.dto.js';
import { DATABASE_COPY_REFUSALS } from './database-copy.refusals.js';
import { DatabaseAnswer, DatabaseView } from './databases.dto.js';

@ApiTags('databases')
@Controller('api/v1/databases/:database_id')
export class DatabaseBackupsController {
  constructor(
    private readonly backups: DatabaseBackupsService,
    private readonly restores: DatabaseRestoresService,
    private readonly swaps: DatabaseSwapsService,
  ) {}

  @Get('backups')
  @RequireScope('databases:read', { in: 'resource' })
  @ApiOperation({
    summary: 'Lists the backups of a database, newest first.',
    description: 'Changes are stored besides, so a database can also be restored to any moment between two backups.',
  })
  @ApiOkResponse({ type: DatabaseBackupPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, DATABASE_ERRORS.database_not_found)
  async list(
    @Caller() call: Call,
    @Param('database_id') id: string,
    @Query() query: PageQuery,
  ): Promise<Envelope<DatabaseBackupView[]>> {
    return pageEnvelope(await this.backups.list(call, id, query.page), (each) => DatabaseBackupView.of(each));
  }

  @Post('backups')
  @RequireFeature('databases')
  @RequireScope('databases:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.ACCEPTED)
  @ApiOperation({
    summary: 'Requests a backup of a database now.',
    description: 'While one is `pending`, that one is returned. The service makes one a day by itself.',
  })
  @ApiAcceptedResponse({ type: DatabaseBackupAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    DATABASE_ERRORS.database_not_found,
    DATABASE_ERRORS.database_busy,
    DATABASE_ERRORS.database_not_restorable,
    OPERATOR_ERRORS.feature_disabled,
  )
  async create(@Caller() call: Call, @Param('database_id') id: string): Promise<Envelope<DatabaseBackupView>> {
    return new Envelope(DatabaseBackupView.of(await this.backups.request(call, id)));
  }

  @Post('restore')
  @RequireFeature('databases')
  @RequireScope('databases:admin', { in: 'resource' })
  @TakesJson()
  @ApiOperation({
    summary: 'Creates a database with the contents that another one had at a moment.',
    description:
      'It is `restoring` at first. The other one is not changed; `POST …/swap` exchanges the two without new ' +
      'connection URLs.',
  })
  @ApiCreatedResponse({ type: DatabaseAnswer })
  @ApiRefusals(...DATABASE_COPY_REFUSALS)
  async restore(
    @Caller() call: Call,
    @Param('database_id') id: string,
    @Body() { input }: RestoreDatabaseBody,
  ): Promise<Envelope<DatabaseView>> {
    return new Envelope(DatabaseView.of(await this.restores.restore(call, id, input)));
  }

  @Post('swap')
  @RequireFeature('databases')
  @RequireScope('databases:admin', { in: 'resource' })
  @TakesJson({ actsOutside: true })
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Exchanges the data of two databases, and ends their connections.',
    description: 'Ids, names, connection URLs and attachments stay, so clients reach the other data.',
  })
  @ApiOkResponse({ type: DatabaseAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    DATABASE_ERRORS.database_not_found,
    DATABASE_ERRORS.database_busy,
    DATABASE_ERRORS.database_not_restorable,
    DATABASE_ERRORS.databases_not_swappable,
    OPERATOR_ERRORS.feature_disabled,
  )
  async swap(
    @Caller() call: Call,
    @Param('database_id') id: string,
    @Body() { with: other }: SwapDatabaseBody,
    @DryRun() isDryRun: boolean,
  ): Promise<Envelope<DatabaseView>> {
    return new Envelope(DatabaseView.of(await this.swaps.swap(call, id, other, { isDryRun })));
  }
}
