import { Injectable, Logger, type OnApplicationBootstrap, type Provider } from '@nestjs/common';
import { InjectMetric, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Gauge } from 'prom-client';
import { Config } from '../../../platform/config/config.js';

const UNPROTECTED = 'operator_surface_unprotected';

/** Says at start, and in the metrics, which surfaces answer without a token. */
@Injectable()
class OpenSurfaces implements OnApplicationBootstrap {
  private readonly logger = new Logger(OpenSurfaces.name);

  constructor(
    private readonly config: Config,
    @InjectMetric(UNPROTECTED) private readonly unprotected: Gauge,
  ) {}

  onApplicationBootstrap(): void {
    this.report('ops', 'OPS_TOKEN', this.config.opsToken);
    this.report('metrics', 'METRICS_TOKEN', this.config.metricsToken);
  }

  private report(surface: string, setting: string, token: string | undefined): void {
    this.unprotected.set({ surface }, token === undefined ? 1 : 0);
    if (token === undefined) this.logger.warn(`${setting} is not set: the ${surface} surface answers anybody who can reach this port.`);
  }
}

export const OPEN_SURFACES: Provider[] = [
  OpenSurfaces,
  makeGaugeProvider({ name: UNPROTECTED, help: '1 for a surface whose token is not set.', labelNames: ['surface'] }),
];
