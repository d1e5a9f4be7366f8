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
import { CREDENTIAL_ERRORS } from '../auth.errors.js';
import { type Call, Caller } from '../caller.js';
import { KeysService } from '../keys.service.js';
import { KEY_ERRORS } from '../keys.errors.js';
import { RequireRecentSignIn } from '../require-recent-sign-in.js';
import { RequireCaller, RequireScope, TakesSession } from '../require-scope.js';
import { RequireVerifiedEmail } from '../require-verified-email.js';
import { KeyInputs } from './key-inputs.js';
import {
  ChangeKeyBody,
  AuthorizeKeyBody,
  CREATE_KEY_EXAMPLES,
  CreateKeyBody,
  KeyAnswer,
  KeyPageAnswer,
  KeyView,
  MintedKeyAnswer,
  MintedKeyView,
  RotateKeyBody,
} from './keys.dto.js';

const RECENT = CREDENTIAL_ERRORS.recent_sign_in_required;

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
  @RequireRecentSignIn()
  @RequireVerifiedEmail()
  @TakesJson()
  @ApiOperation({
    summary: 'Creates an API key.',
    description:
      'The secret is returned once and cannot be read again. A key cannot create a key with wider permissions.',
  })
  @ApiBody({ type: CreateKeyBody, examples: CREATE_KEY_EXAMPLES })
  @ApiCreatedResponse({ type: MintedKeyAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, RECENT, ACCESS_ERRORS.email_not_verified, KEY_ERRORS.key_lifetime_exceeded)
  async create(@Caller() call: Call, @Body() body: CreateKeyBody): Promise<Envelope<MintedKeyView>> {
    return new Envelope(MintedKeyView.of(await this.keys.create(call, this.inputs.ofCreation(body))));
  }

  @Get()
  @RequireScope('keys:read', { in: 'resource' })
  @ApiOperation({
    summary: 'Lists API keys, newest first.',
    description: 'Returns your own keys, and the org-bound keys of organizations that you administer.',
  })
  @ApiOkResponse({ type: KeyPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request)
  async list(@Caller() call: Call, @Query() query: PageQuery): Promise<Envelope<KeyView[]>> {
    return pageEnvelope(await this.keys.list(call, query.page), (key) => KeyView.of(key));
  }

  @Get('current')
  @TakesSession('never')
  @RequireCaller()
  @ApiOperation({
    summary: 'Returns the API key that makes the call.',
    description: 'It requires no scope. Session tokens are refused.',
  })
  @ApiOkResponse({ type: KeyAnswer })
  @ApiRefusals(...ANY_CALLER)
  async current(@Caller() call: Call): Promise<Envelope<KeyView>> {
    return new Envelope(KeyView.of(await this.keys.current(call)));
  }

  @Get(':key_id')
  @RequireScope('keys:read', { in: 'resource' })
  @ApiOperation({ summary: 'Returns an API key without its secret.' })
  @ApiOkResponse({ type: KeyAnswer })
  @ApiRefusals(...ANY_CALLER, KEY_ERRORS.api_key_not_found)
  async get(@Caller() call: Call, @Param('key_id') keyId: string): Promise<Envelope<KeyView>> {
    return new Envelope(KeyView.of(await this.keys.get(call, keyId)));
  }

  @Patch(':key_id')
  @RequireScope('keys:write', { in: 'resource' })
  @RequireRecentSignIn()
  @TakesJson()
  @ApiOperation({
    summary: 'Updates an API key.',
    description: 'The change applies from the next call with the key. Only the owner of a key can update it.',
  })
  @ApiOkResponse({ type: KeyAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, RECENT, KEY_ERRORS.api_key_not_found, KEY_ERRORS.key_lifetime_exceeded)
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
  @ApiOperation({
    summary: 'Revokes an API key.',
    description: 'The key stops working with its next call. Revoking cannot be undone.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, KEY_ERRORS.api_key_not_found)
  async revoke(@Caller() call: Call, @Param('key_id') keyId: string): Promise<void> {
    await this.keys.revoke(call, keyId);
  }

  @Post(':key_id/authorize')
  @TakesSession('only')
  @RequireScope('keys:write', { in: 'resource' })
  @RequireRecentSignIn()
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Lets an API key reach an organization that requires SSO.',
    description:
      'Only the owner of the key can, in a session that came through the SSO connection of the organization. Keys ' +
      'that such a session creates need no authorization.',
  })
  @ApiOkResponse({ type: KeyAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, RECENT, KEY_ERRORS.api_key_not_found)
  async authorize(
    @Caller() call: Call,
    @Param('key_id') keyId: string,
    @Body() { org }: AuthorizeKeyBody,
  ): Promise<Envelope<KeyView>> {
    return new Envelope(KeyView.of(await this.keys.authorizeForSso(call, keyId, org)));
  }

  @Post(':key_id/rotate')
  @RequireScope('keys:write', { in: 'resource' })
  @RequireRecentSignIn()
  @RequireVerifiedEmail()
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Rotates the secret of an API key.',
    description:
      'The new secret is returned once. The old one works for another `grace_seconds`. ' +
      'Only the owner can rotate a key.',
  })
  @ApiOkResponse({ type: MintedKeyAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, RECENT, KEY_ERRORS.api_key_not_found, ACCESS_ERRORS.email_not_verified)
  async rotate(
    @Caller() call: Call,
    @Param('key_id') keyId: string,
    @Body() { grace_seconds }: RotateKeyBody,
  ): Promise<Envelope<MintedKeyView>> {
    return new Envelope(MintedKeyView.of(await this.keys.rotate(call, keyId, grace_seconds)));
  }
}
