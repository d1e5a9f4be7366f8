import { Module } from '@nestjs/common';
import { OrgRegister } from './org-register.js';
import { OrgsPersistenceModule } from './persistence/orgs-persistence.module.js';

/** For the pages of operators. */
@Module({ imports: [OrgsPersistenceModule], providers: [OrgRegister], exports: [OrgRegister] })
export class OrgRegisterModule {}
