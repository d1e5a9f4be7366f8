import { Module } from '@nestjs/common';
import { ExportedProjects } from './exported-projects.js';
import { ProjectsModule } from '../projects.module.js';
import { ProjectEnvController } from './project-env.controller.js';
import { ProjectInputs } from './project-inputs.js';
import { ProjectList } from './project-list.js';
import { ProjectsController } from './projects.controller.js';

@Module({
  imports: [ProjectsModule],
  controllers: [ProjectsController, ProjectEnvController],
  providers: [ExportedProjects, ProjectInputs, ProjectList],
})
export class ProjectsHttpModule {}
