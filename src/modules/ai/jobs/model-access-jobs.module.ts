import { Module } from '@nestjs/common';
import { ModelAccessModule } from '../model-access/model-access.module.js';
import { DeletedProjectModelAccessProcessor } from './deleted-project-model-access.processor.js';

@Module({ imports: [ModelAccessModule], providers: [DeletedProjectModelAccessProcessor] })
export class ModelAccessJobsModule {}
