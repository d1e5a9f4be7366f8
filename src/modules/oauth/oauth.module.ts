import { Module } from '@nestjs/common';
import { EgressModule } from '../../platform/egress/egress.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { AttemptsModule } from '../auth/attempts.module.js';
import { KeysModule } from '../auth/keys.module.js';
import { TokensModule } from '../auth/tokens.module.js';
import { MetadataDocuments } from './clients/metadata-documents.js';
import { OauthClientsService } from './clients/oauth-clients.service.js';
import { SealedClients } from './clients/sealed-clients.js';
import { ConsentsService } from './consent/consents.service.js';
import { FormTokens } from './consent/form-tokens.js';
import { OauthGrantsModule } from './grants/oauth-grants.module.js';
import { SigningKeysModule } from './keys/signing-keys.module.js';
import { OAUTH_METRICS } from './metrics/oauth-flow.metrics.js';
import { OauthPersistenceModule } from './persistence/oauth-persistence.module.js';
import { OauthAdapters } from './provider/oauth-adapters.js';
import { OauthProvider } from './provider/oauth-provider.js';
import { OauthAccessTokens } from './tokens/oauth-access-tokens.js';

/** The authorization server for clients of the MCP server. */
@Module({
  imports: [
    AttemptsModule,
    AuditModule,
    EgressModule,
    OauthGrantsModule,
    KeysModule,
    OauthPersistenceModule,
    SigningKeysModule,
    TokensModule,
  ],
  providers: [
    ConsentsService,
    FormTokens,
    MetadataDocuments,
    OauthAccessTokens,
    OauthAdapters,
    OauthClientsService,
    OauthProvider,
    SealedClients,
    ...OAUTH_METRICS,
  ],
  exports: [ConsentsService, FormTokens, OauthGrantsModule, OauthAccessTokens, OauthClientsService, OauthProvider],
})
export class OauthModule {}
