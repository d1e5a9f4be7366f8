import { Module } from '@nestjs/common';
import { AiModule } from './ai.module.js';
import { CallsModule } from './calls/calls.module.js';
import { ModelAnswersService } from './model-answers.service.js';

@Module({ imports: [AiModule, CallsModule], providers: [ModelAnswersService], exports: [ModelAnswersService] })
export class ModelAnswersModule {}
