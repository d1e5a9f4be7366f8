import { Injectable, Logger, type OnApplicationBootstrap, type Provider } from '@nestjs/common';
import { InjectMetric, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Gauge } from 'prom-client';
import { AuthSettings } from '../auth.settings.js';
import { Config } from '../../../platform/config/config.js';
import { OperatorsSettings } from '../../operators/operators.settings.js';
import { Log } from '../../../platform/logging/log.js';

const UNPROTECTED = 'operator_surface_unprotected';

/**
 * Reports at start, and in the metrics, which endpoints are open because their token is not set, and whether email
 * addresses are verified.
 */
@Injectable()
class OpenSurfaces implements OnApplicationBootstrap {
  private readonly logger = new Logger(OpenSurfaces.name);

  constructor(
    private readonly config: Config,
    private readonly operatorSettings: OperatorsSettings,
    private readonly settings: AuthSettings,
    private readonly log: Log,
    @InjectMetric(UNPROTECTED) private readonly unprotected: Gauge,
  ) {}

  onApplicationBootstrap(): void {
    this.report(
      'ops',
      this.operatorSettings.opsToken,
      'OPS_TOKEN is not set: the operator endpoints answer only programs on this machine.',
    );
    this.report(
      'metrics',
      this.operatorSettings.metricsToken,
      'METRICS_TOKEN is not set: the metrics endpoint is open to anyone who can reach this port.',
    );
    this.reportVerification();
  }

  private reportVerification(): void {
    const { emailVerification } = this.settings;
    const { mailer } = this.config.mail;
    if (emailVerification === 'required')
      this.log.info({}, 'Accounts need a verified email address to create API keys, deploy and invite.');
    else if (mailer === 'smtp')
      this.logger.warn(
        'EMAIL_VERIFICATION is off: anyone can sign up with the email address of another person and use the account.',
      );
    else
      this.log.info(
        {},
        'Email addresses are not verified, because MAILER=log sends no mail. ' +
          'Set EMAIL_VERIFICATION=required to change that.',
      );
  }

  private report(surface: string, token: string | undefined, warning: string): void {
    this.unprotected.set({ surface }, token === undefined ? 1 : 0);
    if (token === undefined) this.logger.warn(warning);
  }
}

export const OPEN_SURFACES: Provider[] = [
  OpenSurfaces,
  makeGaugeProvider({
    name: UNPROTECTED,
    help: '1 for an operator surface whose token is not set.',
    labelNames: ['surface'],
  }),
];
