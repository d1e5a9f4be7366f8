import { Module } from '@nestjs/common';
import { AccessExplanationService } from '../explain/access-explanation.service.js';
import { RouteDirectory } from '../explain/route-directory.js';
import { KeysModule } from '../keys/keys.module.js';
import { DeclaredRoutes } from './declared-routes.js';
import { ExplainController } from './explain.controller.js';
import { KeyWishes } from './key-wish.js';
import { KeysController } from './keys.controller.js';
import { MeController } from './me.controller.js';

/** Who calls, with which keys, and what they may do. */
@Module({
  imports: [KeysModule],
  controllers: [ExplainController, KeysController, MeController],
  providers: [AccessExplanationService, KeyWishes, { provide: RouteDirectory, useClass: DeclaredRoutes }],
})
export class AccessHttpModule {}
