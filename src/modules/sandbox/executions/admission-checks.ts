import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { PLANS } from '../../plans/plan.js';
import type { PackageChoice } from '../domain/packages.js';
import type { RunOptions, SandboxLimits } from '../domain/sandbox-runtime.js';
import { NetworkPermission } from '../network/network-permission.js';
import { SandboxSettings } from '../sandbox.settings.js';
import { Backlog } from '../workers/backlog.js';
import { limitsOf, type LimitsInput, requirePackages } from './plan-limits.js';

interface Asked extends LimitsInput {
  readonly packages?: PackageChoice;
  readonly options?: Pick<RunOptions, 'allowedHosts'>;
  readonly queueTimeoutMs: number;
  readonly sessionId?: string;
}

/** Checks what an execution asks for before anything is held or begun for it. */
@Injectable()
export class AdmissionChecks {
  constructor(
    private readonly settings: SandboxSettings,
    private readonly backlog: Backlog,
    private readonly network: NetworkPermission,
  ) {}

  /**
   * @throws {ExecutionBeyondPlan} `invalid_request`
   * @throws {ExecutionNetworkOff} `feature_disabled`
   * @throws {SandboxUnavailable} `sandbox_unavailable`
   */
  async limitsFor({ org }: Call, input: Asked): Promise<SandboxLimits> {
    const allowedHosts = input.options?.allowedHosts;
    const limits = limitsOf(PLANS[org.plan], { ...input, network: allowedHosts !== undefined }, this.settings);
    this.network.require(allowedHosts);
    requirePackages(PLANS[org.plan], input.packages);
    if (input.sessionId === undefined) await this.backlog.requireRoom(org.id, input.queueTimeoutMs);
    return limits;
  }
}
