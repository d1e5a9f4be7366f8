import { Module } from '@nestjs/common';
import { CronsModule } from '../crons.module.js';
import { CronsController } from './crons.controller.js';

@Module({ imports: [CronsModule], controllers: [CronsController] })
export class CronsHttpModule {}
