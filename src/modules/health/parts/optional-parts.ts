import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { missingForImages } from '../../builds/image-builder.js';
import { AppNetworkStatus } from '../../hosting/app-network-status.js';
import { SandboxStatusService } from '../../sandbox/sandbox-status.service.js';

const CHECK_TIMEOUT_MS = 1_000;

/** Checks the parts that the rest of the platform works without. Their absence never makes the service unavailable. */
@Injectable()
export class OptionalParts {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly sandboxStatus: SandboxStatusService,
    private readonly networkStatus: AppNetworkStatus,
  ) {}

  async sandbox(): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check('sandbox');
    const status = await inTime(this.sandboxStatus.status());
    if (status === undefined) return indicator.degraded({ message: 'unknown while Redis is unavailable' });
    if (!status.available) return indicator.degraded({ missing: status.missing });
    return indicator.up({ mode: status.mode, workers: status.workers });
  }

  /** Apps without a network are the documented behaviour of a machine that lacks the programs for one. */
  async appNetwork(): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check('app_network');
    const state = await inTime(this.networkStatus.state());
    if (state === undefined) return indicator.up({ message: 'is being tried' });
    if (state.mode === 'off') return indicator.up({ mode: 'off' });
    if (state.missing.length === 0) return indicator.up({ mode: 'on' });
    return state.mode === 'required'
      ? indicator.degraded({ missing: state.missing })
      : indicator.up({ mode: 'off', missing: state.missing });
  }

  /** Projects with a Dockerfile are refused with a sentence on a machine without a builder. */
  imageBuilds(): HealthIndicatorResult {
    const missing = missingForImages();
    return this.indicators.check('image_builds').up(missing.length === 0 ? { mode: 'on' } : { mode: 'off', missing });
  }
}

async function inTime<T>(status: Promise<T>): Promise<T | undefined> {
  return Promise.race([status.catch(() => undefined), sleep(CHECK_TIMEOUT_MS, undefined, { ref: false })]);
}
