import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Put, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { PROJECT_ERRORS } from '../../projects/projects.errors.js';
import { DATABASE_ERRORS } from '../databases.errors.js';
import { AttachmentManagementService } from '../domain/attachment-management.service.js';
import {
  AttachDatabaseBody,
  DatabaseAttachmentAnswer,
  DatabaseAttachmentPageAnswer,
  DatabaseAttachmentView,
} from './database-attachments.dto.js';

@ApiTags('databases')
@Controller('api/v1/databases/:database_id/attachments')
export class DatabaseAttachmentsController {
  constructor(private readonly attachments: AttachmentManagementService) {}

  @Get()
  @RequireScope('databases:read', { in: 'resource' })
  @ApiOperation({ summary: 'Lists the projects that a database is attached to.' })
  @ApiOkResponse({ type: DatabaseAttachmentPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, DATABASE_ERRORS.database_not_found)
  async list(
    @Caller() call: Call,
    @Param('database_id') id: string,
    @Query() query: PageQuery,
  ): Promise<Envelope<DatabaseAttachmentView[]>> {
    return pageEnvelope(await this.attachments.list(call, id, query.page), (each) => DatabaseAttachmentView.of(each));
  }

  @Put(':project_id')
  @RequireScope('databases:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({
    summary: 'Attaches a database to a project of its organization, or changes how it is attached.',
    description: 'The next deploys get a connection URL, which holds no secret. Absent fields get their defaults.',
  })
  @ApiOkResponse({ type: DatabaseAttachmentAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    DATABASE_ERRORS.database_not_found,
    PROJECT_ERRORS.project_not_found,
    GENERIC_ERRORS.already_exists,
  )
  async attach(
    @Caller() call: Call,
    @Param('database_id') id: string,
    @Param('project_id') projectId: string,
    @Body() { fields }: AttachDatabaseBody,
  ): Promise<Envelope<DatabaseAttachmentView>> {
    return new Envelope(DatabaseAttachmentView.of(await this.attachments.attach(call, id, projectId, fields)));
  }

  @Delete(':project_id')
  @RequireScope('databases:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Detaches a database from a project.',
    description: 'Deploys that run keep it until they are replaced. Branches for its previews are deleted.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    DATABASE_ERRORS.database_not_found,
    DATABASE_ERRORS.database_attachment_not_found,
    PROJECT_ERRORS.project_not_found,
  )
  async detach(
    @Caller() call: Call,
    @Param('database_id') id: string,
    @Param('project_id') projectId: string,
  ): Promise<void> {
    await this.attachments.detach(call, id, projectId);
  }
}
