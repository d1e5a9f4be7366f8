import { Module } from '@nestjs/common';
import { PlanLimitCounters } from './plan-limit-counters.js';

/** What each plan allows, and who counts what an organization uses of it. */
@Module({ providers: [PlanLimitCounters], exports: [PlanLimitCounters] })
export class PlansModule {}
