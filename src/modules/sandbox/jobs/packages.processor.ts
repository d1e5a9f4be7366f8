import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { PackageInstallFailed, PackageLayersUnavailable } from '../../builds/package-layers.js';
import { PackageInstaller } from '../packages/package-installer.js';
import { PackagesBilling } from '../packages/packages-billing.js';
import { packagesJob, type PackagesPayload, type PackagesResult } from './packages.job.js';

/** It goes on when its caller has left, so that the packages are there when it asks again. */
@Injectable()
@Handles(packagesJob)
export class PackagesProcessor implements JobHandler<PackagesPayload, PackagesResult> {
  constructor(
    private readonly installer: PackageInstaller,
    private readonly billing: PackagesBilling,
  ) {}

  async handle({ wanted, paidAs }: PackagesPayload): Promise<PackagesResult> {
    try {
      const tookMs = await this.installer.install(wanted);
      if (paidAs !== undefined) await this.billing.pay(paidAs, tookMs);
      return { kind: 'installed' };
    } catch (error) {
      if (error instanceof PackageInstallFailed) {
        // It took the time of a machine, as a program that fails does.
        if (paidAs !== undefined) await this.billing.pay(paidAs, this.installer.takeTimeOf(error));
        return { kind: 'failed', message: error.message, log: error.log };
      }
      if (paidAs !== undefined) await this.billing.release(paidAs);
      if (error instanceof PackageLayersUnavailable) return { kind: 'unavailable', reason: error.message };
      throw error;
    }
  }
}
