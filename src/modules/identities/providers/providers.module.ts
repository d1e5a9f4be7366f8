import { Module } from '@nestjs/common';
import { EgressModule } from '../../../platform/egress/egress.module.js';
import { GithubProvider } from './github.provider.js';
import { GoogleProvider } from './google.provider.js';
import { IdentityProviders } from './identity-providers.js';
import { ProviderHttp } from '../provider-http.js';

@Module({
  imports: [EgressModule],
  providers: [GithubProvider, GoogleProvider, IdentityProviders, ProviderHttp],
  exports: [IdentityProviders, ProviderHttp],
})
export class ProvidersModule {}
