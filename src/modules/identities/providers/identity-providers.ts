import { Injectable } from '@nestjs/common';
import type { ProviderName } from '../../auth/sign-in-method.js';
import { ConnectionDirectory } from '../connection-directory.js';
import { ProviderNotConfigured } from '../identities.errors.js';
import type { SignInSource } from '../sign-in-source.js';
import { GithubProvider } from './github.provider.js';
import { GoogleProvider } from './google.provider.js';
import type { IdentityProvider } from '../identity-provider.js';

/** The providers that the operator has set up, and those of SSO connections. */
@Injectable()
export class IdentityProviders {
  private readonly all: readonly (IdentityProvider & { readonly name: ProviderName })[];

  constructor(
    github: GithubProvider,
    google: GoogleProvider,
    private readonly connections: ConnectionDirectory,
  ) {
    this.all = [github, google];
  }

  list(): ProviderName[] {
    return this.all.filter(({ isConfigured }) => isConfigured).map(({ name }) => name);
  }

  /**
   * @throws {ProviderNotConfigured} `integration_not_configured`
   * @throws {SsoConnectionNotFound} `sso_connection_not_found`
   */
  async get(source: SignInSource): Promise<IdentityProvider> {
    if (source.provider === 'sso') return this.connections.providerOf(source.connectionId);
    const found = this.all.find(({ name }) => name === source.provider);
    if (found?.isConfigured !== true) throw new ProviderNotConfigured(source.provider);
    return found;
  }
}
