import { Injectable } from '@nestjs/common';

/**
 * Lets one piece of work at a time have the archive of a cluster. All of it is done by the host of the cluster, so the
 * locks are those of this process.
 */
@Injectable()
export class ClusterLocks {
  private readonly last = new Map<string, Promise<void>>();

  async run<Result>(clusterId: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.last.get(clusterId) ?? Promise.resolve();
    const result = before.then(work);
    const ended = result.then(
      () => undefined,
      () => undefined,
    );
    this.last.set(clusterId, ended);
    void ended.then(() => {
      if (this.last.get(clusterId) === ended) this.last.delete(clusterId);
    });
    return result;
  }
}
