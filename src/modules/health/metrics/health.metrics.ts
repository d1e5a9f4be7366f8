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

/** What `/ready` says, for alerts, and the room that is left for data. */
@Injectable()
class HealthMetrics {
  constructor(
    private readonly readiness: ReadinessService,
    private readonly config: Config,
    @InjectMetric(READY) private readonly ready: Gauge,
    @InjectMetric(PART) private readonly part: Gauge,
    private readonly siblings: SiblingProcesses,
    @InjectMetric(PROCESS) private readonly process: Gauge,
    @InjectMetric(RESTARTS) private readonly restarts: Gauge,
    @InjectMetric(FREE) private readonly free: Gauge,
    @InjectMetric(SIZE) private readonly size: Gauge,
  ) {
    // One reading for both: each metric is read only once its figure is there.
    const readParts = once(() => this.readParts());
    Object.assign(ready, { collect: readParts });
    Object.assign(part, { collect: readParts });
    Object.assign(process, {
      collect: () => {
        this.readProcesses();
      },
    });
    const readDisk = once(() => this.readDisk());
    Object.assign(free, { collect: readDisk });
    Object.assign(size, { collect: readDisk });
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

  private async readDisk(): Promise<void> {
    try {
      const { bavail, blocks, bsize } = await statfs(this.config.dataDir);
      this.free.set(bavail * bsize);
      this.size.set(blocks * bsize);
    } catch {
      // A process that keeps no data may have no such directory.
    }
  }
}

/** Whoever asks while it runs gets the same run. */
function once(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () =>
    (running ??= run().finally(() => {
      running = undefined;
    }));
}

export const HEALTH_METRICS: Provider[] = [
  HealthMetrics,
  makeGaugeProvider({ name: READY, help: '1 while this process can serve, as GET /ready says.' }),
  makeGaugeProvider({ name: PART, help: '1 for a part that is up.', labelNames: ['part'] }),
  makeGaugeProvider({ name: PROCESS, help: '1 for a process of the role `all` that is up.', labelNames: ['role'] }),
  makeGaugeProvider({
    name: RESTARTS,
    help: 'Times that a process of the role `all` was started again after it had died.',
    labelNames: ['role'],
  }),
  makeGaugeProvider({ name: FREE, help: 'Free bytes of the disk that the data directory is on.' }),
  makeGaugeProvider({ name: SIZE, help: 'Bytes of the disk that the data directory is on.' }),
];
