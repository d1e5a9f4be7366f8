import {
  Controller,
  Delete,
  Get,
  Head,
  HttpCode,
  HttpStatus,
  Param,
  Put,
  Query,
  Req,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { isDryRun } from '../../../platform/http/dry-run.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesNothing } from '../../../platform/http/json-body.js';
import { letTakeLong } from '../../../platform/http/long-request.js';
import { cursorOf } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { CREDIT_ERRORS } from '../../credits/credits.errors.js';
import { ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { OBJECT_ERRORS } from '../objects.errors.js';
import { ObjectsSettings } from '../objects.settings.js';
import { ObjectAnswers } from './object-answers.js';
import { Exchange, type ObjectRequest, ObjectKey } from './object-keys.js';
import { CountsAs, ObjectRequestCounts } from './object-request-counts.js';
import { ObjectRequestsService } from './object-requests.service.js';
import { ObjectListAnswer, ObjectListView, ObjectsQuery, StoredObjectAnswer, StoredObjectView } from './objects.dto.js';

const KEY_PARAMETER = {
  name: 'key',
  description: 'The key of the object. Slashes in it may be sent as they are.',
  example: '2026/12/team.jpg',
};

@ApiTags('storage')
@UseInterceptors(ObjectRequestCounts)
@Controller('api/v1/storage/buckets/:bucket_id/objects')
export class ObjectsController {
  constructor(
    private readonly requests: ObjectRequestsService,
    private readonly answers: ObjectAnswers,
    private readonly settings: ObjectsSettings,
  ) {}

  @Get()
  @CountsAs('ListObjectsV2')
  @RequireScope('storage:read', { in: 'resource' })
  @ApiOperation({ summary: 'Lists the objects of a bucket in the order of their keys.' })
  @ApiOkResponse({ type: ObjectListAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, OBJECT_ERRORS.bucket_not_found)
  async list(
    @Caller() call: Call,
    @Param('bucket_id') bucketId: string,
    @Query() query: ObjectsQuery,
  ): Promise<Envelope<ObjectListView>> {
    const page = await this.requests.list(call, bucketId, query.request);
    const next = cursorOf(page.next);
    return new Envelope(ObjectListView.of(page, this.settings), {
      has_more: next !== undefined,
      ...(next === undefined ? {} : { next_cursor: next }),
    });
  }

  @Head('*key')
  @CountsAs('HeadObject')
  @RequireScope('storage:read', { in: 'resource' })
  @ApiParam(KEY_PARAMETER)
  @ApiOperation({ summary: 'Returns the headers of an object.' })
  @ApiOkResponse({ description: 'The headers of the object.' })
  @ApiRefusals(...ANY_CALLER, OBJECT_ERRORS.bucket_not_found, OBJECT_ERRORS.object_not_found, OBJECT_ERRORS.invalid_key)
  async head(
    @Caller() call: Call,
    @Param('bucket_id') bucketId: string,
    @Exchange() exchange: ObjectRequest,
    @Res() response: Response,
  ): Promise<void> {
    await this.answers.send({ ...exchange, response }, await this.requests.get(call, bucketId, exchange.key));
  }

  @Get('*key')
  @CountsAs('GetObject')
  @RequireScope('storage:read', { in: 'resource' })
  @ApiParam(KEY_PARAMETER)
  @ApiProduces('application/octet-stream')
  @ApiOperation({
    summary: 'Returns the bytes of an object.',
    description:
      'Takes `Range`, `If-None-Match` and the other conditions of HTTP. Browsers save it and do not show it.',
  })
  @ApiOkResponse({ description: 'The bytes.', schema: { type: 'string', format: 'binary' } })
  @ApiRefusals(
    ...ANY_CALLER,
    OBJECT_ERRORS.bucket_not_found,
    OBJECT_ERRORS.object_not_found,
    OBJECT_ERRORS.invalid_key,
    OBJECT_ERRORS.object_changed,
    OBJECT_ERRORS.range_not_satisfiable,
  )
  async get(
    @Caller() call: Call,
    @Param('bucket_id') bucketId: string,
    @Exchange() exchange: ObjectRequest,
    @Res() response: Response,
  ): Promise<void> {
    await this.answers.send({ ...exchange, response }, await this.requests.get(call, bucketId, exchange.key));
  }

  @Put('*key')
  @CountsAs('PutObject')
  @RequireScope('storage:write', { in: 'resource' })
  @TakesNothing({ actsOutside: true })
  @ApiParam(KEY_PARAMETER)
  @ApiConsumes('application/octet-stream')
  @ApiBody({ schema: { type: 'string', format: 'binary', example: 'the bytes of the object' } })
  @ApiOperation({
    summary: 'Stores an object, in place of the one that has the key.',
    description:
      'The body is the object, and `Content-Type` its type. `If-None-Match: *` stores only a new object, and ' +
      '`If-Match` replaces only the object with that ETag. Large objects are better uploaded in parts.',
  })
  @ApiOkResponse({ type: StoredObjectAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    CREDIT_ERRORS.credits_exhausted,
    CREDIT_ERRORS.spend_cap_reached,
    OBJECT_ERRORS.bucket_not_found,
    OBJECT_ERRORS.invalid_key,
    OBJECT_ERRORS.length_required,
    OBJECT_ERRORS.object_too_large,
    OBJECT_ERRORS.storage_full,
    OBJECT_ERRORS.checksum_mismatch,
    OBJECT_ERRORS.incomplete_body,
    OBJECT_ERRORS.object_changed,
  )
  async put(
    @Caller() call: Call,
    @Param('bucket_id') bucketId: string,
    @ObjectKey() key: string,
    @Req() request: Request,
  ): Promise<Envelope<StoredObjectView>> {
    letTakeLong(request.res!);
    const isRehearsal = isDryRun(request);
    const { object, bucket } = await this.requests.put(call, bucketId, key, { request, isRehearsal });
    return new Envelope(StoredObjectView.of(object, bucket, this.settings), isRehearsal ? { dry_run: true } : {});
  }

  @Delete('*key')
  @CountsAs('DeleteObject')
  @RequireScope('storage:write', { in: 'resource' })
  @TakesNothing()
  @ApiParam(KEY_PARAMETER)
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Deletes an object.', description: 'Deleting a missing object is not an error.' })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, OBJECT_ERRORS.bucket_not_found, OBJECT_ERRORS.invalid_key)
  delete(@Caller() call: Call, @Param('bucket_id') bucketId: string, @ObjectKey() key: string): Promise<void> {
    return this.requests.delete(call, bucketId, key);
  }
}
