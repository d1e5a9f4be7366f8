import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import type { ExternalMethod } from '../../auth/sign-in-method.js';
import { ConnectionDirectory } from '../connection-directory.js';
import { type BeginSignInInput, type BegunSignIn, ExternalSignInsService } from '../external-sign-ins.service.js';
import { SsoConnectionNotFound } from '../identities.errors.js';
import type { SignInSource } from '../sign-in-source.js';

/** What a person wants to sign in with from now on. */
export interface WantedIdentity extends Omit<BeginSignInInput, 'userId' | 'source'> {
  readonly method: ExternalMethod;
  /** Id or slug of an organization of the person, for SSO alone. */
  readonly org: string | undefined;
}

/** Begins to connect identities. The route has asked for a recent sign-in. */
@Injectable()
export class IdentityBeginningsService {
  constructor(
    private readonly signIns: ExternalSignInsService,
    private readonly connections: ConnectionDirectory,
  ) {}

  /**
   * Begins to connect an identity.
   *
   * @throws {SsoConnectionNotFound} `sso_connection_not_found`: the person belongs to no such organization, or it has
   * no connection, and what {@link ExternalSignInsService.begin} throws.
   */
  async begin({ method, org, ...input }: WantedIdentity, call: Call): Promise<BegunSignIn> {
    const source = method === 'sso' ? await this.connectionOf(org ?? '', call) : { provider: method };
    return this.signIns.begin({ ...input, source, userId: call.principal.user.id }, call.ip);
  }

  private async connectionOf(org: string, { principal }: Call): Promise<SignInSource> {
    const found = [...principal.memberships, ...principal.closed].find(({ id, slug }) => id === org || slug === org);
    if (found === undefined) throw new SsoConnectionNotFound();
    const { id: connectionId } = await this.connections.find({ org: found.id });
    return { provider: 'sso', connectionId };
  }
}
