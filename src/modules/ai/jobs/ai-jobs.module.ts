import { Module } from '@nestjs/common';
import { AiModule } from '../ai.module.js';
import { CallsModule } from '../calls/calls.module.js';
import { GenerationSweeper } from '../calls/generation-sweeper.js';
import { OldGenerationsSweeper } from '../calls/old-generations-sweeper.js';
import { PriceSyncTimer } from './price-sync.timer.js';

@Module({
  imports: [AiModule, CallsModule],
  providers: [GenerationSweeper, OldGenerationsSweeper, PriceSyncTimer],
})
export class AiJobsModule {}
