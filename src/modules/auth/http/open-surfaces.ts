import { Injectable, Logger, type OnApplicationBootstrap, type Provider } from '@nestjs/common';
import { InjectMetric, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Gauge } from 'prom-client';
import { AuthSettings } from '../auth.settings.js';
import { Config } from '../../../platform/config/config.js';
import { OperatorsSettings } from '../../operators/operators.settings.js';
import { Log } from '../../../platform/logging/log.js';

const UNPROTECTED = 'operator_surface_unprotected';

/**
 * Says at start, and in the metrics, which surfaces answer without a token, and whether e-mail addresses are verified.
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
      'OPS_TOKEN is not set: the ops surface answers only programs on this machine.',
    );
    this.report(
      'metrics',
      this.operatorSettings.metricsToken,
      'METRICS_TOKEN is not set: the metrics surface answers anybody who can reach this port.',
    );
    this.reportVerification();
  }

  private reportVerification(): void {
    const { emailVerification } = this.settings;
    const { mailer } = this.config.mail;
    if (emailVerification === 'required')
      this.log.info({}, 'Accounts need a verified e-mail address to create API keys, deploy and invite.');
    else if (mailer === 'smtp')
      this.logger.warn(
        'EMAIL_VERIFICATION is off: anybody can sign up with an e-mail address of somebody else and use the account.',
      );
    else
      this.log.info(
        {},
        'E-mail addresses are not verified, because MAILER=log sends no mail. Set EMAIL_VERIFICATION=required to change that.',
      );
  }

  private report(surface: string, token: string | undefined, warning: string): void {
    this.unprotected.set({ surface }, token === undefined ? 1 : 0);
    if (token === undefined) this.logger.warn(warning);
  }
}

export const OPEN_SURFACES: Provider[] = [
  OpenSurfaces,
  makeGaugeProvider({ name: UNPROTECTED, help: '1 for a surface whose token is not set.', labelNames: ['surface'] }),
];
