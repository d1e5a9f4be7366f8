import { Module } from '@nestjs/common';
import { AttemptsModule } from '../../auth/attempts.module.js';
import { SsoModule } from '../sso.module.js';
import { ConnectionTestsController } from './connection-tests.controller.js';
import { OrgDomainsController } from './org-domains.controller.js';
import { SamlPagesController } from './saml-pages.controller.js';
import { SsoConnectionsController } from './sso-connections.controller.js';

@Module({
  imports: [AttemptsModule, SsoModule],
  controllers: [OrgDomainsController, SsoConnectionsController, ConnectionTestsController, SamlPagesController],
})
export class SsoHttpModule {}
