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
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { PLAN_ERRORS } from '../../plans/plans.errors.js';
import { PROJECT_ERRORS } from '../../projects/projects.errors.js';
import { BucketsService } from '../buckets/buckets.service.js';
import { OBJECT_ERRORS } from '../objects.errors.js';
import { ObjectsSettings } from '../objects.settings.js';
import { StorageUsageService } from '../usage/storage-usage.service.js';
import {
  BucketAnswer,
  BucketPageAnswer,
  BucketView,
  StorageUsageAnswer,
  StorageUsageView,
} from './bucket-views.dto.js';
import { BucketsQuery, CreateBucketBody, UpdateBucketBody } from './buckets.dto.js';

@ApiTags('storage')
@Controller('api/v1/storage')
export class BucketsController {
  constructor(
    private readonly buckets: BucketsService,
    private readonly usages: StorageUsageService,
    private readonly settings: ObjectsSettings,
  ) {}

  @Get('usage')
  @RequireScope('storage:read')
  @ApiOperation({ summary: 'Returns what an organization stores in all its buckets.' })
  @ApiOkResponse({ type: StorageUsageAnswer })
  @ApiRefusals(...ANY_CALLER)
  async usage(@Caller() call: Call): Promise<Envelope<StorageUsageView>> {
    return new Envelope(StorageUsageView.of(await this.usages.of(call)));
  }

  @Get('buckets')
  @RequireScope('storage:read')
  @ApiOperation({ summary: 'Lists the buckets of an organization, newest first.' })
  @ApiOkResponse({ type: BucketPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request)
  async list(@Caller() call: Call, @Query() query: BucketsQuery): Promise<Envelope<BucketView[]>> {
    return pageEnvelope(await this.buckets.list(call, query.project_id, query.page), (each) =>
      BucketView.of(each, this.settings),
    );
  }

  @Post('buckets')
  @RequireScope('storage:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({
    summary: 'Creates a bucket.',
    description: 'The name is unique in the organization. Each bucket also gets a label, which is unique everywhere.',
  })
  @ApiCreatedResponse({ type: BucketAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    GENERIC_ERRORS.already_exists,
    PLAN_ERRORS.plan_limit_reached,
    PROJECT_ERRORS.project_not_found,
  )
  async create(@Caller() call: Call, @Body() { input }: CreateBucketBody): Promise<Envelope<BucketView>> {
    return new Envelope(BucketView.of(await this.buckets.create(call, input), this.settings));
  }

  @Get('buckets/:bucket_id')
  @RequireScope('storage:read', { in: 'resource' })
  @ApiOperation({ summary: 'Returns a bucket.' })
  @ApiOkResponse({ type: BucketAnswer })
  @ApiRefusals(...ANY_CALLER, OBJECT_ERRORS.bucket_not_found)
  async get(@Caller() call: Call, @Param('bucket_id') id: string): Promise<Envelope<BucketView>> {
    return new Envelope(BucketView.of(await this.buckets.get(call, id, 'storage:read'), this.settings));
  }

  @Patch('buckets/:bucket_id')
  @RequireScope('storage:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({ summary: 'Updates a bucket.', description: 'Absent fields stay the same.' })
  @ApiOkResponse({ type: BucketAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    GENERIC_ERRORS.already_exists,
    OBJECT_ERRORS.bucket_not_found,
    PROJECT_ERRORS.project_not_found,
  )
  async update(
    @Caller() call: Call,
    @Param('bucket_id') id: string,
    @Body() { changes }: UpdateBucketBody,
  ): Promise<Envelope<BucketView>> {
    return new Envelope(BucketView.of(await this.buckets.update(call, id, changes), this.settings));
  }

  @Delete('buckets/:bucket_id')
  @RequireScope('storage:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Deletes an empty bucket.',
    description: 'Delete its objects and unfinished uploads first.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, OBJECT_ERRORS.bucket_not_found, OBJECT_ERRORS.bucket_not_empty)
  delete(@Caller() call: Call, @Param('bucket_id') id: string): Promise<void> {
    return this.buckets.delete(call, id);
  }
}
