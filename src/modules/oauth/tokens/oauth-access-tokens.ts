import { Injectable } from '@nestjs/common';
import { errors as joseErrors, type JWTPayload, jwtVerify } from 'jose';
import { Config } from '../../../platform/config/config.js';
import { Clock } from '../../../platform/time/clock.js';
import { type AccessGrant, AccessTokens } from '../../auth/access-tokens.js';
import { mcpResourceOf, resourceMetadataOf } from '../domain/addresses.js';
import { READING_SCOPES } from '../domain/grantable-scopes.js';
import { SigningKeysService } from '../keys/signing-keys.service.js';
import { workGrantIn } from '../domain/work-claim.js';
import { AccessTokenExpired, AccessTokenInvalid, OAUTH_ERRORS } from '../oauth.errors.js';

const MAX_LENGTH = 8_000;
/** The clocks of the machines of one service differ by little. */
const CLOCK_SKEW_SECONDS = 5;
const INVALID: readonly string[] = [OAUTH_ERRORS.invalid_access_token, OAUTH_ERRORS.access_token_expired].map(
  ({ code }) => code,
);

/** Reads the access tokens that this service issued for its MCP server, and nothing else. */
@Injectable()
export class OauthAccessTokens extends AccessTokens {
  constructor(
    private readonly config: Config,
    private readonly keys: SigningKeysService,
    private readonly clock: Clock,
  ) {
    super();
  }

  async read(token: string): Promise<AccessGrant> {
    if (token.length > MAX_LENGTH) throw new AccessTokenInvalid();
    const payload = await this.verified(token);
    const work = workGrantIn(payload);
    if (work !== undefined) return work;
    const { key, scope } = payload;
    if (typeof key !== 'string' || typeof scope !== 'string') throw new AccessTokenInvalid();
    return { keyId: key, scopes: scope.split(' ') };
  }

  challengeFor(refusalCode: string): string {
    const { publicUrl } = this.config;
    const parts = [
      ...(INVALID.includes(refusalCode) ? ['error="invalid_token"'] : []),
      `resource_metadata="${resourceMetadataOf(publicUrl)}"`,
      `scope="${READING_SCOPES.join(' ')}"`,
    ];
    return `Bearer ${parts.join(', ')}`;
  }

  stepUpTo(scopes: readonly string[]): string {
    const metadata = resourceMetadataOf(this.config.publicUrl);
    return `Bearer error="insufficient_scope", scope="${scopes.join(' ')}", resource_metadata="${metadata}"`;
  }

  private async verified(token: string): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(
        token,
        async ({ kid }) => {
          const key = kid === undefined ? undefined : await this.keys.findPublicKey(kid);
          if (key === undefined) throw new AccessTokenInvalid();
          return key;
        },
        {
          algorithms: ['ES256'],
          typ: 'at+jwt',
          issuer: this.config.publicUrl,
          audience: mcpResourceOf(this.config.publicUrl),
          requiredClaims: ['exp', 'iat', 'scope'],
          maxTokenAge: '15m',
          clockTolerance: CLOCK_SKEW_SECONDS,
          currentDate: this.clock.now(),
        },
      );
      return payload;
    } catch (error) {
      if (error instanceof joseErrors.JWTExpired) throw new AccessTokenExpired();
      if (error instanceof joseErrors.JOSEError || error instanceof AccessTokenInvalid) throw new AccessTokenInvalid();
      throw error;
    }
  }
}
