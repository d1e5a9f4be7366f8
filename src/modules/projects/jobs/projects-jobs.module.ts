import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects.module.js';
import { EnvResealing } from './env-resealing.js';

@Module({ imports: [ProjectsModule], providers: [EnvResealing] })
export class ProjectsJobsModule {}
