import { Module } from '@nestjs/common';
import { AccessExplanationService } from '../explain/access-explanation.service.js';
import { KeysModule } from '../keys.module.js';
import { ExplainController } from './explain.controller.js';
import { KeyInputs } from './key-inputs.js';
import { KeysController } from './keys.controller.js';
import { MeController } from './me.controller.js';

/** Who calls, with which keys, and what they may do. */
@Module({
  imports: [KeysModule],
  controllers: [ExplainController, KeysController, MeController],
  providers: [AccessExplanationService, KeyInputs],
})
export class AccessHttpModule {}
