import { Module } from '@nestjs/common';
import { SsoModule } from '../sso.module.js';
import { OrgDomainsController } from './org-domains.controller.js';

@Module({ imports: [SsoModule], controllers: [OrgDomainsController] })
export class SsoHttpModule {}
