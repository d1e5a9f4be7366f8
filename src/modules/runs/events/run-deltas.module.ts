import { Module } from '@nestjs/common';
import { RunDeltas } from './run-deltas.js';

@Module({ providers: [RunDeltas], exports: [RunDeltas] })
export class RunDeltasModule {}
