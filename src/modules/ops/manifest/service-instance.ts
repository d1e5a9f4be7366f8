import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Ids } from '../../../platform/ids/ids.js';
import { WORKER_ID } from '../../../platform/ids/platform.ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { VERSION } from '../../../platform/version.js';

export interface RunningInstance {
  readonly name: string;
  readonly version: string;
  readonly role: string;
  readonly startedAt: string;
  readonly instance: string;
}

/** Identifies this process: its version, its role, and an id that changes with each start. */
@Injectable()
export class ServiceInstance {
  private readonly startedAt: string;
  private readonly id: string;

  constructor(
    private readonly config: Config,
    clock: Clock,
    ids: Ids,
  ) {
    this.startedAt = clock.now().toISOString();
    this.id = ids.next(WORKER_ID);
  }

  describe(): RunningInstance {
    return {
      name: 'service-platform',
      version: VERSION,
      role: this.config.role,
      startedAt: this.startedAt,
      instance: this.id,
    };
  }
}
