import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { SecretHasher } from '../../auth/secret-hasher.js';
import { DEPLOY_HOOK_ID } from '../deploys.ids.js';
import { DeployHook } from '../persistence/deploy-hook.entity.js';

/** A new hook, with the URL that is returned once and never stored. */
export interface IssuedDeployHook {
  readonly hook: DeployHook;
  readonly url: string;
}

/** Creates hooks and their secrets. It stores nothing. */
@Injectable()
export class HookIssuer {
  constructor(
    private readonly config: Config,
    private readonly hasher: SecretHasher,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  issue(facts: Omit<Parameters<typeof DeployHook.create>[0], 'secretHash' | 'pepperVersion'>): IssuedDeployHook {
    const secret = this.hasher.createToken('hook');
    const { hash: secretHash, pepperVersion } = this.hasher.hash(secret);
    const hook = DeployHook.create(
      { ...facts, secretHash, pepperVersion },
      { id: this.ids.next(DEPLOY_HOOK_ID), at: this.clock.now() },
    );
    return { hook, url: `${this.config.publicUrl}/webhooks/deploys/${hook.id}/${secret}` };
  }
}
