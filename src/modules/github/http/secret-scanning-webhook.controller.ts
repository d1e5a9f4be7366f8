import { Controller, HttpCode, HttpStatus, Post, Req } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { SECRET_SCANNING_PATH } from '../../../platform/http/api-path.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Public } from '../../../platform/http/public.js';
import { RawAnswer } from '../../../platform/http/raw-answer.js';
import { UnsignedBodies } from '../../../platform/http/unsigned-bodies.js';
import { NeedsNoStorage } from '../../../platform/storage/storage.guard.js';
import { clientAddressOf } from '../../limits/client-address.js';
import { SecretScanningService } from '../scanning/secret-scanning.service.js';
import { matchesIn } from './scanning-report.js';
import { SECRET_MATCH_EXAMPLES, SecretMatchBody, SecretVerdictView } from './secret-scanning.dto.js';

/** Room for ten thousand matches. */
const LIMIT_BYTES = 4 * 1_048_576;
const TOTAL_BYTES = 8 * LIMIT_BYTES;
/** The scanner sends from a few addresses. */
const PLACES_BY_ADDRESS = 16;

const IDENTIFIER = 'github-public-key-identifier';
const SIGNATURE = 'github-public-key-signature';

/** Receives what secret scanning has found. Its messages are signed and carry no key, so no budget pays for them. */
@ApiTags('keys')
@Controller(SECRET_SCANNING_PATH)
@Public()
export class SecretScanningWebhookController {
  private readonly bodies = new UnsignedBodies({
    limitBytes: LIMIT_BYTES,
    totalBytes: TOTAL_BYTES,
    placesByAddress: PLACES_BY_ADDRESS,
  });

  constructor(private readonly scanning: SecretScanningService) {}

  @Post()
  @NeedsNoStorage()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Revokes tokens that secret scanning found in public.',
    description:
      'For partners of GitHub secret scanning: the body is signed with ECDSA (P-256, SHA-256). Tokens of this ' +
      'service stop working at once, and their owners are notified. Repeating a message changes nothing.',
  })
  @ApiHeader({
    name: 'Github-Public-Key-Identifier',
    required: true,
    description: "Which of the scanner's keys signed the message.",
    example: 'bcb53661c06b4728e59d897fb6165d5c',
  })
  @ApiHeader({
    name: 'Github-Public-Key-Signature',
    required: true,
    description: 'Signature of the raw body, in Base64.',
    example: 'MEQCIQDaMKqrGnE27S0kgMrEK0eYBmyG0LeZ',
  })
  @ApiBody({ type: [SecretMatchBody], examples: SECRET_MATCH_EXAMPLES })
  @ApiOkResponse({ type: [SecretVerdictView] })
  @ApiRefusals(
    GENERIC_ERRORS.invalid_request,
    GENERIC_ERRORS.malformed_json,
    GENERIC_ERRORS.invalid_signature,
    GENERIC_ERRORS.request_timeout,
    GENERIC_ERRORS.payload_too_large,
    GENERIC_ERRORS.service_unavailable,
  )
  async take(@Req() request: Request): Promise<RawAnswer> {
    const message = await this.scanning.open({
      identifier: headerOf(request, IDENTIFIER),
      signature: headerOf(request, SIGNATURE),
    });
    const body = await this.bodies.read(request, clientAddressOf(request.ip).network);
    this.scanning.requireSigned({ ...message, body });
    const verdicts: SecretVerdictView[] = await this.scanning.end(matchesIn(body));
    return new RawAnswer(Buffer.from(JSON.stringify(verdicts)), 'application/json; charset=utf-8');
  }
}

function headerOf({ headers }: Request, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}
