import { Module } from '@nestjs/common';
import { KeysModule } from '../../auth/keys.module.js';
import { ProjectsModule } from '../../projects/projects.module.js';
import { ModelAccessService } from './model-access.service.js';

@Module({
  imports: [KeysModule, ProjectsModule],
  providers: [ModelAccessService],
  exports: [ModelAccessService],
})
export class ModelAccessModule {}
