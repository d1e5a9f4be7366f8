import { Global, Module } from '@nestjs/common';
import { AccessTokens } from '../../auth/access-tokens.js';
import { AttemptsModule } from '../../auth/attempts.module.js';
import { PeopleModule } from '../../people/people.module.js';
import { OauthModule } from '../oauth.module.js';
import { OauthAccessTokens } from '../tokens/oauth-access-tokens.js';
import { ClientRegistrations } from './client-registrations.js';
import { ClientRequests } from './client-requests.js';
import { ConsentExchange } from './consent-exchange.js';
import { ConsentController } from './consent.controller.js';
import { OauthGrantsController } from './oauth-grants.controller.js';
import { OauthGateway } from './oauth-gateway.js';
import { OauthMetadataController } from './oauth-metadata.controller.js';
import { OrgGrantsController } from './org-grants.controller.js';
import { OauthController } from './oauth.controller.js';

/** Global because the guards of `auth`, which stand below, read access tokens. */
@Global()
@Module({
  imports: [AttemptsModule, OauthModule, PeopleModule],
  providers: [
    ClientRegistrations,
    ClientRequests,
    ConsentExchange,
    OauthGateway,
    { provide: AccessTokens, useExisting: OauthAccessTokens },
  ],
  controllers: [
    ConsentController,
    OauthGrantsController,
    OrgGrantsController,
    OauthController,
    OauthMetadataController,
  ],
  exports: [AccessTokens],
})
export class OauthHttpModule {}
