import { Module } from '@nestjs/common';
import { DomainsModule } from '../domains.module.js';
import { DomainViews } from './domain-views.js';
import { ProjectDomainsController } from './project-domains.controller.js';
import { TlsController } from './tls.controller.js';

@Module({
  imports: [DomainsModule],
  controllers: [ProjectDomainsController, TlsController],
  providers: [DomainViews],
})
export class DomainsHttpModule {}
