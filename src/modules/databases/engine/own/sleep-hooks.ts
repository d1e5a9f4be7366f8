import { Injectable } from '@nestjs/common';

export interface SleepHook {
  /** Called while the server still runs. A client that comes meanwhile keeps it awake. */
  readonly beforeSleep?: (clusterId: string) => Promise<void>;
  /** Called when the server has stopped and all of its WAL is in the archive. Clients wait for it. */
  readonly afterStop?: (clusterId: string) => Promise<void>;
}

/** What is done around the sleep of each cluster. */
@Injectable()
export class SleepHooks {
  private readonly hooks: SleepHook[] = [];

  add(hook: SleepHook): void {
    this.hooks.push(hook);
  }

  async beforeSleep(clusterId: string): Promise<void> {
    for (const { beforeSleep } of this.hooks) await beforeSleep?.(clusterId);
  }

  async afterStop(clusterId: string): Promise<void> {
    for (const { afterStop } of this.hooks) await afterStop?.(clusterId);
  }
}
