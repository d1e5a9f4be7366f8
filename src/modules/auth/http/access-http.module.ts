import { Module } from '@nestjs/common';
import { ExportedKeys } from './exported-keys.js';
import { AccessExplanationService } from '../explain/access-explanation.service.js';
import { KeysModule } from '../keys.module.js';
import { LeaksModule } from '../leaks/leaks.module.js';
import { ExplainController } from './explain.controller.js';
import { KeyInputs } from './key-inputs.js';
import { KeysController } from './keys.controller.js';
import { MeController } from './me.controller.js';

/** The endpoints for keys, for the current caller and for explaining access, and what ends leaked tokens. */
@Module({
  imports: [KeysModule, LeaksModule],
  controllers: [ExplainController, KeysController, MeController],
  providers: [ExportedKeys, AccessExplanationService, KeyInputs],
})
export class AccessHttpModule {}
