import { Injectable } from '@nestjs/common';
import { importJWK, SignJWT } from 'jose';
import { Config } from '../../platform/config/config.js';
import { Clock } from '../../platform/time/clock.js';
import type { WorkGrant } from '../auth/access-tokens.js';
import { mcpResourceOf } from './domain/addresses.js';
import { workClaimsOf } from './domain/work-claim.js';
import { SigningKeysService } from './keys/signing-keys.service.js';

/** A token is made for each call, and is only read when the call begins. */
const SECONDS = 120;

/**
 * Signs access tokens for work of this service, such as runs of agents. They open the MCP server and nothing else, as
 * those of OAuth clients do, and what they may do is looked up again with each call.
 */
@Injectable()
export class WorkTokensService {
  constructor(
    private readonly config: Config,
    private readonly keys: SigningKeysService,
    private readonly clock: Clock,
  ) {}

  async sign(grant: WorkGrant): Promise<string> {
    const [jwk] = await this.keys.privateJwks();
    const nowSeconds = Math.floor(this.clock.now().getTime() / 1000);
    return new SignJWT(workClaimsOf(grant))
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: jwk!.kid! })
      .setIssuer(this.config.publicUrl)
      .setAudience(mcpResourceOf(this.config.publicUrl))
      .setSubject(grant.work.id)
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + SECONDS)
      .sign(await importJWK(jwk!, 'ES256'));
  }
}
