import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { DryRun } from '../../../platform/http/dry-run.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { RequireVerifiedEmail } from '../../auth/require-verified-email.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { LIMIT_ERRORS } from '../../limits/limits.errors.js';
import { REPOSITORY_ERRORS } from '../repositories.errors.js';
import { RepositoryFilesService } from '../repository-files.service.js';
import {
  AddedCommitAnswer,
  AddedCommitView,
  CreateCommitBody,
  FilesQuery,
  RepositoryFilesAnswer,
  RepositoryFilesView,
} from './repository-files.dto.js';

/** A JSON text can be twice as long as the 4 MiB of files in it. */
const COMMIT_BODY_BYTES = 8 * 1_048_576;

/** Files of repositories that this service hosts, for callers without git. */
@ApiTags('repositories')
@Controller('api/v1/repositories/:repository_id')
export class RepositoryFilesController {
  constructor(private readonly files: RepositoryFilesService) {}

  @Get('files')
  @RequireScope('repositories:read', { in: 'resource' })
  @ApiOperation({
    summary: 'Reads files and lists directories of a repository of this service, at the head of a branch.',
    description: 'For all files at once, clone it. Repositories at GitHub are not read.',
  })
  @ApiOkResponse({ type: RepositoryFilesAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    GENERIC_ERRORS.invalid_request,
    REPOSITORY_ERRORS.repository_not_found,
    REPOSITORY_ERRORS.branch_not_found,
    LIMIT_ERRORS.concurrency_limit_exceeded,
  )
  async read(
    @Caller() call: Call,
    @Param('repository_id') id: string,
    @Query() { path: paths, branch }: FilesQuery,
  ): Promise<Envelope<RepositoryFilesView>> {
    return new Envelope(RepositoryFilesView.of(await this.files.read(call, id, { branch, paths })));
  }

  @Post('commits')
  @RequireScope('repositories:write', { in: 'resource' })
  @RequireVerifiedEmail()
  @TakesJson({ actsOutside: true, limitBytes: COMMIT_BODY_BYTES })
  @ApiOperation({
    summary: 'Adds a commit to a branch of a repository of this service, as a push does.',
    description:
      'It deploys the linked projects like a push. Files that are not named stay. ' +
      'At most 100 files, of 1 MiB each and 4 MiB together. With `Dry-Run: true`, `commit` is the expected head.',
  })
  @ApiCreatedResponse({ type: AddedCommitAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    REPOSITORY_ERRORS.repository_not_found,
    REPOSITORY_ERRORS.branch_moved,
    REPOSITORY_ERRORS.repository_full,
    LIMIT_ERRORS.concurrency_limit_exceeded,
  )
  async commit(
    @Caller() call: Call,
    @Param('repository_id') id: string,
    @Body() { input }: CreateCommitBody,
    @DryRun() isDryRun: boolean,
  ): Promise<Envelope<AddedCommitView>> {
    const commit = await (isDryRun ? this.files.rehearse(call, id, input) : this.files.write(call, id, input));
    return new Envelope(AddedCommitView.of(commit), isDryRun ? { dry_run: true } : {});
  }
}
