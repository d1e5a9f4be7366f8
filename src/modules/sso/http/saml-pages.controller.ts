import { Controller, Get, HttpStatus, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { isForm } from '../../../platform/http/form-type.js';
import { Public } from '../../../platform/http/public.js';
import { UnsignedBodies } from '../../../platform/http/unsigned-bodies.js';
import { AttemptsService } from '../../auth/attempts.service.js';
import { clientAddressOf } from '../../limits/client-address.js';
import { TooManyAttempts } from '../../limits/limits.errors.js';
import { SamlAnswersService } from '../answers/saml-answers.service.js';
import { SAML_METADATA_TYPE } from './saml-metadata-type.js';

const LIMIT_BYTES = 524_288;
const TOTAL_BYTES = 32 * LIMIT_BYTES;
/** High, because all people of an office may have one address. */
const PLACES_BY_ADDRESS = 16;
/** Each takes some milliseconds of a processor to verify, and anybody may send one. */
const RESPONSES = { name: 'sso_responses', attempts: 300, periodSeconds: 60, Refusal: TooManyAttempts };

/** The addresses of SAML that a provider knows. None of them shows a page. */
@ApiExcludeController()
@Controller('sign-in/sso/:connection_id')
@Public()
export class SamlPagesController {
  private readonly bodies = new UnsignedBodies({
    limitBytes: LIMIT_BYTES,
    totalBytes: TOTAL_BYTES,
    placesByAddress: PLACES_BY_ADDRESS,
  });

  constructor(
    private readonly saml: SamlAnswersService,
    private readonly attempts: AttemptsService,
  ) {}

  @Get('metadata')
  async metadata(@Param('connection_id') id: string, @Res() response: Response): Promise<void> {
    const metadata = await this.saml.metadataOf(id);
    response.setHeader('content-type', SAML_METADATA_TYPE);
    response.send(Buffer.from(metadata));
  }

  // The form comes from another site, without a cookie. So whose browser it is shows at the address that this one leads
  // to. Where a sign-in goes on is known from its beginning: RelayState is not read.
  @Post('acs')
  async answer(
    @Param('connection_id') connectionId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.attempts.countAddress(RESPONSES, request.ip ?? '');
    const body = await this.bodies.read(request, clientAddressOf(request.ip).network);
    const id = await this.saml.take(connectionId, samlResponseIn(request, body));
    response.redirect(HttpStatus.SEE_OTHER, `/sign-in/${id}/finish`);
  }
}

/** Undefined unless there is exactly one. */
function samlResponseIn(request: Request, body: Buffer): string | undefined {
  if (!isForm(request)) return undefined;
  const values = new URLSearchParams(body.toString()).getAll('SAMLResponse');
  return values.length === 1 ? values[0] : undefined;
}
