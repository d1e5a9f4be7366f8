import { Module } from '@nestjs/common';
import { AiModule } from '../ai.module.js';
import { CallsModule } from '../calls/calls.module.js';
import { CallAnswers } from './call-answers.js';
import { GenerationsController } from './generations.controller.js';
import { ModelCallsController } from './model-calls.controller.js';
import { ModelsController } from './models.controller.js';

@Module({
  imports: [AiModule, CallsModule],
  providers: [CallAnswers],
  controllers: [GenerationsController, ModelCallsController, ModelsController],
})
export class AiHttpModule {}
