import { Module } from '@nestjs/common';
import { IdentitiesModule } from '../identities.module.js';
import { BrowserSignInsController } from './browser-sign-ins.controller.js';
import { ExportedIdentities } from './exported-identities.js';
import { ExternalSignInsController } from './external-sign-ins.controller.js';
import { FlowCookie } from './flow-cookie.js';
import { IdentitiesController } from './identities.controller.js';
import { SignInPagesController } from './sign-in-pages.controller.js';

@Module({
  imports: [IdentitiesModule],
  controllers: [BrowserSignInsController, ExternalSignInsController, IdentitiesController, SignInPagesController],
  providers: [ExportedIdentities, FlowCookie],
})
export class IdentitiesHttpModule {}
