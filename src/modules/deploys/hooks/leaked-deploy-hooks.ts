import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { authMailJob } from '../../auth/auth-mail.job.js';
import { type LeakHandler, type LeakPlace, LeakedTokens } from '../../auth/leaked-tokens.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { DeployHooksStore } from '../persistence/deploy-hooks.store.js';

/** Deletes deploy hooks whose address is public. */
@Injectable()
export class LeakedDeployHooks implements LeakHandler {
  constructor(
    private readonly database: Database,
    private readonly hooks: DeployHooksStore,
    private readonly orgs: OrgDirectory,
    private readonly outbox: Outbox,
    leaked: LeakedTokens,
  ) {
    leaked.register('hook', this);
  }

  findKnown(hashes: readonly Buffer[]): Promise<Buffer[]> {
    return this.hooks.knownSecrets(hashes);
  }

  end(hash: Buffer, { url, source }: LeakPlace): Promise<boolean> {
    return this.database.transaction(async () => {
      const hook = await this.hooks.findBySecret(hash);
      if (hook === null || !(await this.hooks.remove(hook.projectId, hook.id))) return false;
      const { id, orgId, projectId, name, branch, createdBy } = hook;
      const details = { project_id: projectId, name, branch, reason: 'leaked', url, source };
      await this.orgs.record(
        { orgId, action: 'deploy_hook.deleted', target: { type: 'deploy_hook', id }, details },
        undefined,
      );
      const leak = { what: 'deploy_hook', id, name, url } as const;
      await this.outbox.enqueue(authMailJob, { kind: 'token_leaked', subjectId: createdBy, leak });
      return true;
    });
  }
}
