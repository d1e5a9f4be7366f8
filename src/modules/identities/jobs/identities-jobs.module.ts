import { Module } from '@nestjs/common';
import { IdentitiesPersistenceModule } from '../persistence/identities-persistence.module.js';
import { ExternalSignInsSweeper } from './external-sign-ins.sweeper.js';

@Module({ imports: [IdentitiesPersistenceModule], providers: [ExternalSignInsSweeper] })
export class IdentitiesJobsModule {}
