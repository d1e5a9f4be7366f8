import { Injectable } from '@nestjs/common';
import type { ProviderName } from '../../auth/sign-in-method.js';
import { ProviderNotConfigured } from '../identities.errors.js';
import { GithubProvider } from './github.provider.js';
import { GoogleProvider } from './google.provider.js';
import type { IdentityProvider } from './identity-provider.js';

/** The providers that the operator has set up. */
@Injectable()
export class IdentityProviders {
  private readonly all: readonly IdentityProvider[];

  constructor(github: GithubProvider, google: GoogleProvider) {
    this.all = [github, google];
  }

  list(): ProviderName[] {
    return this.all.filter(({ isConfigured }) => isConfigured).map(({ name }) => name);
  }

  /** @throws {ProviderNotConfigured} `integration_not_configured` */
  get(name: ProviderName): IdentityProvider {
    const found = this.all.find((each) => each.name === name);
    if (found?.isConfigured !== true) throw new ProviderNotConfigured(name);
    return found;
  }
}
