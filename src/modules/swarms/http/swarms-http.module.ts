import { Module } from '@nestjs/common';
import { SwarmsModule } from '../swarms.module.js';
import { SwarmBoardController } from './swarm-board.controller.js';
import { SwarmTasksController } from './swarm-tasks.controller.js';
import { SwarmsController } from './swarms.controller.js';

@Module({ imports: [SwarmsModule], controllers: [SwarmBoardController, SwarmTasksController, SwarmsController] })
export class SwarmsHttpModule {}
