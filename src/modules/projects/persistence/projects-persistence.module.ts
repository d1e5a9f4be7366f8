import { Module } from '@nestjs/common';
import { ProjectEnvStore } from './project-env.store.js';
import { ProjectsStore } from './projects.store.js';

const STORES = [ProjectEnvStore, ProjectsStore];

@Module({ providers: STORES, exports: STORES })
export class ProjectsPersistenceModule {}
