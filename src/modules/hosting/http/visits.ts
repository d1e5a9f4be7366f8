import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import { Tracing } from '../../../platform/tracing/tracing.js';
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
    private readonly tracing: Tracing,
  ) {}

  begin(parts: Omit<VisitParts, 'span'>): Visit {
    const { method = '', headers } = parts.request;
    const span = this.tracing.receive({ method, headers });
    return new Visit({ ...parts, span }, this.log, this.metrics, this.activity);
  }
}
