import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { ACCESS_ERRORS, ANY_CALLER } from '../access.errors.js';
import { type Call, Caller } from '../caller.js';
import { KeysService } from '../keys.service.js';
import { KEY_ERRORS } from '../keys/keys.errors.js';
import { RequireCaller, RequireScope, TakesSession } from '../require-scope.js';
import { RequireVerifiedEmail } from '../require-verified-email.js';
import { KeyInputs } from './key-inputs.js';
import {
  ChangeKeyBody,
  CREATE_KEY_EXAMPLES,
  CreateKeyBody,
  KeyAnswer,
  KeyPageAnswer,
  KeyView,
  MintedKeyAnswer,
  MintedKeyView,
  RotateKeyBody,
} from './keys.dto.js';

@ApiTags('keys')
@TakesSession('or_key')
@Controller('api/v1/keys')
export class KeysController {
  constructor(
    private readonly keys: KeysService,
    private readonly inputs: KeyInputs,
  ) {}

  @Post()
  @RequireScope('keys:write', { in: 'resource' })
  @RequireVerifiedEmail()
  @TakesJson()
  @ApiOperation({
    summary: 'Mints an API key. Its secret is shown this one time; a key never mints one that may do more than itself.',
  })
  @ApiBody({ type: CreateKeyBody, examples: CREATE_KEY_EXAMPLES })
  @ApiCreatedResponse({ type: MintedKeyAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, ACCESS_ERRORS.email_not_verified)
  async create(@Caller() call: Call, @Body() body: CreateKeyBody): Promise<Envelope<MintedKeyView>> {
    return new Envelope(MintedKeyView.of(await this.keys.create(call, this.inputs.ofCreation(body))));
  }

  @Get()
  @RequireScope('keys:read', { in: 'resource' })
  @ApiOperation({
    summary: "Lists the caller's keys, and those bound to organizations that it administers; the newest first.",
  })
  @ApiOkResponse({ type: KeyPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request)
  async list(@Caller() call: Call, @Query() query: PageQuery): Promise<Envelope<KeyView[]>> {
    return pageEnvelope(await this.keys.list(call, query.page), (key) => KeyView.of(key));
  }

  @Get('current')
  @TakesSession('never')
  @RequireCaller()
  @ApiOperation({ summary: 'Shows the key that makes the call. It needs no scope.' })
  @ApiOkResponse({ type: KeyAnswer })
  @ApiRefusals(...ANY_CALLER)
  async current(@Caller() call: Call): Promise<Envelope<KeyView>> {
    return new Envelope(KeyView.of(await this.keys.current(call)));
  }

  @Get(':key_id')
  @RequireScope('keys:read', { in: 'resource' })
  @ApiOperation({ summary: 'Shows a key, never its secret.' })
  @ApiOkResponse({ type: KeyAnswer })
  @ApiRefusals(...ANY_CALLER, KEY_ERRORS.api_key_not_found)
  async get(@Caller() call: Call, @Param('key_id') keyId: string): Promise<Envelope<KeyView>> {
    return new Envelope(KeyView.of(await this.keys.get(call, keyId)));
  }

  @Patch(':key_id')
  @RequireScope('keys:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({ summary: 'Changes what a key is called and may do, from its next call on.' })
  @ApiOkResponse({ type: KeyAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, KEY_ERRORS.api_key_not_found)
  async change(
    @Caller() call: Call,
    @Param('key_id') keyId: string,
    @Body() body: ChangeKeyBody,
  ): Promise<Envelope<KeyView>> {
    return new Envelope(KeyView.of(await this.keys.change(call, keyId, this.inputs.ofChange(body))));
  }

  @Delete(':key_id')
  @RequireScope('keys:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Revokes a key: it stops with its next call, for good.' })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, KEY_ERRORS.api_key_not_found)
  async revoke(@Caller() call: Call, @Param('key_id') keyId: string): Promise<void> {
    await this.keys.revoke(call, keyId);
  }

  @Post(':key_id/rotate')
  @RequireScope('keys:write', { in: 'resource' })
  @RequireVerifiedEmail()
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Gives a key a new secret; the old one works on for `grace_seconds`.' })
  @ApiOkResponse({ type: MintedKeyAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, KEY_ERRORS.api_key_not_found, ACCESS_ERRORS.email_not_verified)
  async rotate(
    @Caller() call: Call,
    @Param('key_id') keyId: string,
    @Body() { grace_seconds }: RotateKeyBody,
  ): Promise<Envelope<MintedKeyView>> {
    return new Envelope(MintedKeyView.of(await this.keys.rotate(call, keyId, grace_seconds)));
  }
}
