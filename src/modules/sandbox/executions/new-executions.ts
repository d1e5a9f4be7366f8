import { Injectable } from '@nestjs/common';
import { AuditLogService } from '../../audit/audit-log.service.js';
import type { Call } from '../../auth/caller.js';
import { ExecutionsStore } from '../persistence/executions.store.js';
import type { QueuedExecution } from '../persistence/sandbox-execution.entity.js';

/** Writes new executions, and into the audit log which hosts they may connect to. */
@Injectable()
export class NewExecutions {
  constructor(
    private readonly executions: ExecutionsStore,
    private readonly audit: AuditLogService,
  ) {}

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
