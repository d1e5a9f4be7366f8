import { statfs } from 'node:fs/promises';
import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Gauge } from 'prom-client';
import { Config } from '../../../platform/config/config.js';
import { SiblingProcesses } from '../../../platform/lifecycle/sibling-processes.js';
import { ReadinessService } from '../readiness.service.js';

const READY = 'service_ready';
const PART = 'service_part_up';
const PROCESS = 'service_process_up';
const RESTARTS = 'service_process_restarts';
const FREE = 'data_directory_free_bytes';
const SIZE = 'data_directory_size_bytes';

/** Exposes the result of `/ready` and the state of the processes, for alerts. */
@Injectable()
class HealthMetrics {
  constructor(
    private readonly readiness: ReadinessService,
    @InjectMetric(READY) private readonly ready: Gauge,
    @InjectMetric(PART) private readonly part: Gauge,
    private readonly siblings: SiblingProcesses,
    @InjectMetric(PROCESS) private readonly process: Gauge,
    @InjectMetric(RESTARTS) private readonly restarts: Gauge,
  ) {
    // Both metrics share one check, and each waits for it.
    const readParts = once(() => this.readParts());
    Object.assign(ready, { collect: readParts });
    Object.assign(part, { collect: readParts });
    Object.assign(process, {
      collect: () => {
        this.readProcesses();
      },
    });
  }

  private async readParts(): Promise<void> {
    const { isReady, parts } = await this.readiness.parts();
    this.ready.set(isReady ? 1 : 0);
    for (const [part, { status }] of Object.entries(parts)) this.part.set({ part }, status === 'up' ? 1 : 0);
  }

  private readProcesses(): void {
    for (const [role, { isUp, restarts }] of Object.entries(this.siblings.states())) {
      this.process.set({ role }, isUp ? 1 : 0);
      this.restarts.set({ role }, restarts);
    }
  }
}

/** Exposes the free space for data. */
@Injectable()
class DiskMetrics {
  constructor(
    private readonly config: Config,
    @InjectMetric(FREE) private readonly free: Gauge,
    @InjectMetric(SIZE) private readonly size: Gauge,
  ) {
    const readDisk = once(() => this.readDisk());
    Object.assign(free, { collect: readDisk });
    Object.assign(size, { collect: readDisk });
  }

  private async readDisk(): Promise<void> {
    try {
      const { bavail, blocks, bsize } = await statfs(this.config.dataDir);
      this.free.set(bavail * bsize);
      this.size.set(blocks * bsize);
    } catch {
      // A process without data may have no such directory.
    }
  }
}

/** Callers share a run that is in progress. */
function once(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () =>
    (running ??= run().finally(() => {
      running = undefined;
    }));
}

export const HEALTH_METRICS: Provider[] = [
  HealthMetrics,
  DiskMetrics,
  makeGaugeProvider({ name: READY, help: '1 while this process is ready, as reported by GET /ready.' }),
  makeGaugeProvider({ name: PART, help: '1 while a part of the service is up.', labelNames: ['part'] }),
  makeGaugeProvider({ name: PROCESS, help: '1 while a process of the role `all` is up.', labelNames: ['role'] }),
  makeGaugeProvider({
    name: RESTARTS,
    help: 'Restarts of processes of the role `all` after they had died.',
    labelNames: ['role'],
  }),
  makeGaugeProvider({ name: FREE, help: 'Free bytes on the disk of the data directory.' }),
  makeGaugeProvider({ name: SIZE, help: 'Size of the disk of the data directory in bytes.' }),
];
