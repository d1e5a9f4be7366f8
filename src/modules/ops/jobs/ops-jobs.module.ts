import { Module } from '@nestjs/common';
import { OpsModule } from '../ops.module.js';
import { ExpiredClaimsSweeper } from './expired-claims.sweeper.js';

@Module({ imports: [OpsModule], providers: [ExpiredClaimsSweeper] })
export class OpsJobsModule {}
