import { Injectable } from '@nestjs/common';
import { AuditLogService } from '../../audit/audit-log.service.js';
import type { Call } from '../../auth/caller.js';
import { HostingSettings } from '../../hosting/hosting.settings.js';
import { ExecutionsStore } from '../persistence/executions.store.js';
import type { QueuedExecution } from '../persistence/sandbox-execution.entity.js';
import { ExecutionNetworkOff } from '../sandbox.errors.js';

/** Writes new executions, and into the audit log which hosts they may connect to. */
@Injectable()
export class NewExecutions {
  constructor(
    private readonly executions: ExecutionsStore,
    private readonly audit: AuditLogService,
    private readonly hosting: HostingSettings,
  ) {}

  /** @throws {ExecutionNetworkOff} `feature_disabled` when the operator lets no code of tenants out. */
  requireNetwork(allowedHosts: readonly string[] | undefined): void {
    if (allowedHosts !== undefined && this.hosting.appsNetwork === 'off') throw new ExecutionNetworkOff();
  }

  /** In the current transaction. @throws {EffectAlreadyBegun} */
  async add(call: Call, execution: QueuedExecution, allowedHosts: readonly string[] | undefined): Promise<void> {
    await this.executions.add(execution);
    if (allowedHosts === undefined) return;
    await this.audit.record(
      {
        orgId: execution.orgId,
        action: 'execution.network_allowed',
        target: { type: 'execution', id: execution.id },
        details: { hosts: allowedHosts },
      },
      call,
    );
  }
}
