import { Module } from '@nestjs/common';
import { ProjectsModule } from '../../projects/projects.module.js';
import { DomainsModule } from '../domains.module.js';
import { DomainsPersistenceModule } from '../persistence/domains-persistence.module.js';
import { DomainChecksSweeper } from './domain-checks.sweeper.js';
import { DeletedOrgDomainsProcessor } from './deleted-org-domains.processor.js';
import { DeletedProjectDomainsProcessor } from './deleted-project-domains.processor.js';

@Module({
  imports: [DomainsModule, DomainsPersistenceModule, ProjectsModule],
  providers: [DomainChecksSweeper, DeletedOrgDomainsProcessor, DeletedProjectDomainsProcessor],
})
export class DomainsJobsModule {}
