import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta } from '../../../platform/http/page.js';
import { IsEmailAddress, IsTitle } from '../../../platform/text/text-fields.js';
import { EXTERNAL_METHODS, type ExternalMethod, PROVIDER_NAMES, type ProviderName } from '../../auth/sign-in-method.js';
import { SIGN_IN_HINTS, type SignInHint } from '../browser-sign-ins.service.js';
import { CHALLENGE_FORM } from '../domain/proof-key.js';
import type { BegunSignIn } from '../external-sign-ins.service.js';

const ORG = { type: String, maxLength: 100, example: 'acme' };
const METHODS = [...EXTERNAL_METHODS, 'browser'] as const;

/** Where a sign-in returns to, and what proves there that it is one's own. */
class FlowPlaceBody {
  @ApiProperty({
    description:
      'Where the browser returns to, with `code` or `error` in its query: a page of the dashboard, or ' +
      '`http://127.0.0.1:<port>/…` for a program.',
    maxLength: 1000,
    example: 'http://127.0.0.1:49152/signed-in',
  })
  @IsString()
  @MinLength(1)
  @MaxLength(1_000)
  readonly return_to!: string;

  @ApiProperty({
    description: 'SHA-256 of a random verifier of 43 to 128 characters, as base64url without padding.',
    example: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  })
  @IsString()
  @Matches(CHALLENGE_FORM, { message: '$property must be a SHA-256 as base64url' })
  readonly challenge!: string;
}

export class BeginFlowBody extends FlowPlaceBody {
  @ApiProperty({
    enum: METHODS,
    description:
      'A provider, `sso` for the connection of an organization, or `browser` for a program that a person lets in ' +
      'from the dashboard.',
    example: 'browser',
  })
  @IsIn(METHODS)
  readonly method!: (typeof METHODS)[number];

  @ApiPropertyOptional({
    type: String,
    maxLength: 100,
    description: 'For `browser`, which requires it: what the program calls itself. The person sees it.',
    example: 'Command line on ada-laptop',
  })
  @MayBeAbsent()
  @IsTitle()
  readonly client_name?: string;

  @ApiPropertyOptional({
    enum: SIGN_IN_HINTS,
    description: 'For `browser`: what the sign-in page begins with, for people who have not signed in.',
    example: 'passkey',
  })
  @MayBeAbsent()
  @IsIn(SIGN_IN_HINTS)
  readonly hint?: SignInHint;

  @ApiPropertyOptional({
    type: String,
    format: 'email',
    maxLength: 254,
    description: 'For `sso`: your address, whose domain an organization has verified. Nothing else of it is used.',
    example: 'ada@acme.example',
  })
  @MayBeAbsent()
  @IsEmailAddress()
  readonly email?: string;

  @ApiPropertyOptional({ ...ORG, description: 'For `sso`: id or slug of the organization, in place of `email`.' })
  @MayBeAbsent()
  @IsString()
  @MinLength(1)
  @MaxLength(100)
  readonly org?: string;
}

/** What an account is connected to. */
export class BeginIdentityBody extends FlowPlaceBody {
  @ApiProperty({ enum: EXTERNAL_METHODS, example: 'github' })
  @IsIn(EXTERNAL_METHODS)
  readonly method!: ExternalMethod;

  @ApiPropertyOptional({ ...ORG, description: 'For `sso`, which requires it: id or slug of your organization.' })
  @MayBeAbsent()
  @IsString()
  @MinLength(1)
  @MaxLength(100)
  readonly org?: string;
}

const PLACE = {
  return_to: 'http://127.0.0.1:49152/signed-in',
  challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
};

/** The reference shows one body for each method, because fields of others are refused. */
export const FLOW_EXAMPLES = {
  browser: {
    summary: 'A program that a person lets in',
    value: { method: 'browser', client_name: 'Command line on ada-laptop', ...PLACE },
  },
  github: { summary: 'A provider', value: { method: 'github', ...PLACE } },
  sso: { summary: 'The SSO of an organization', value: { method: 'sso', email: 'ada@acme.com', ...PLACE } },
};

export const IDENTITY_EXAMPLES = {
  github: { summary: 'A provider', value: { method: 'github', ...PLACE } },
  sso: { summary: 'The SSO of your organization', value: { method: 'sso', org: 'acme', ...PLACE } },
};

export class BegunFlowView {
  @ApiProperty({ example: 'xsi_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({
    description: 'Address to open in the browser of the person.',
    example: 'https://api.example.com/sign-in/xsi_01jd3m8yeqf5rb0xkq5ym8s6tn',
  })
  authorize_url!: string;
  @ApiProperty({ format: 'date-time' }) expires_at!: string;

  static of({ id, authorizeUrl, expiresAt }: BegunSignIn): BegunFlowView {
    return { id, authorize_url: authorizeUrl, expires_at: expiresAt.toISOString() };
  }
}

export class BegunFlowAnswer {
  @ApiProperty({ type: BegunFlowView }) data!: BegunFlowView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class SignInMethodsView {
  @ApiProperty({ enum: PROVIDER_NAMES, isArray: true, description: 'Providers that people can sign in through.' })
  providers!: ProviderName[];
}

export class SignInMethodsAnswer {
  @ApiProperty({ type: SignInMethodsView }) data!: SignInMethodsView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
