import { Module } from '@nestjs/common';
import { AccessExplanationService } from '../explain/access-explanation.service.js';
import { KeysModule } from '../keys.module.js';
import { ExplainController } from './explain.controller.js';
import { KeyInputs } from './key-inputs.js';
import { KeysController } from './keys.controller.js';
import { MeController } from './me.controller.js';

/** The endpoints for keys, for the current caller and for explaining access. */
@Module({
  imports: [KeysModule],
  controllers: [ExplainController, KeysController, MeController],
  providers: [AccessExplanationService, KeyInputs],
})
export class AccessHttpModule {}
