import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import { AppActivity } from '../metrics/app-activity.js';
import { HostingMetrics } from '../metrics/hosting.metrics.js';
import { Visit, type VisitParts } from './visit.js';

/** Begins visits, which are logged and counted when they end. */
@Injectable()
export class Visits {
  constructor(
    private readonly log: Log,
    private readonly metrics: HostingMetrics,
    private readonly activity: AppActivity,
  ) {}

  begin(parts: VisitParts): Visit {
    return new Visit(parts, this.log, this.metrics, this.activity);
  }
}
