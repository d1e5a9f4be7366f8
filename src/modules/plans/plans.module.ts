import { Module } from '@nestjs/common';
import { PlanLimitCounters } from './plan-limit-counters.js';

/** Provides the limits of plans, and the counters of what an organization uses of them. */
@Module({ providers: [PlanLimitCounters], exports: [PlanLimitCounters] })
export class PlansModule {}
