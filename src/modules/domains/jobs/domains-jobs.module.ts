import { Module } from '@nestjs/common';
import { ProjectsModule } from '../../projects/projects.module.js';
import { DomainsModule } from '../domains.module.js';
import { DomainsPersistenceModule } from '../persistence/domains-persistence.module.js';
import { DomainChecksSweeper } from './domain-checks.sweeper.js';
import { OrgDeletedProcessor } from './org-deleted.processor.js';
import { ProjectDeletedProcessor } from './project-deleted.processor.js';

@Module({
  imports: [DomainsModule, DomainsPersistenceModule, ProjectsModule],
  providers: [DomainChecksSweeper, OrgDeletedProcessor, ProjectDeletedProcessor],
})
export class DomainsJobsModule {}
