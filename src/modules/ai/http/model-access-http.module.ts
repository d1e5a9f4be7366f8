import { Module } from '@nestjs/common';
import { ModelAccessModule } from '../model-access/model-access.module.js';
import { ModelAccessController } from './model-access.controller.js';

@Module({ imports: [ModelAccessModule], controllers: [ModelAccessController] })
export class ModelAccessHttpModule {}
