import { Module } from '@nestjs/common';
import { HealthModule } from '../health.module.js';
import { HealthController } from './health.controller.js';

@Module({ imports: [HealthModule], controllers: [HealthController] })
export class HealthHttpModule {}
