import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';

/** What is closed first stands first: nothing may lose a thing that it still needs. */
const PHASES = ['workers', 'queues', 'database', 'redis'] as const;
type Phase = (typeof PHASES)[number];
type Step = () => Promise<void> | void;

/** Says when the service is about to stop, and closes its parts in order once HTTP has ended. */
@Injectable()
export class Shutdown implements OnApplicationShutdown {
  private readonly logger = new Logger(Shutdown.name);
  private readonly steps = new Map<Phase, Step[]>(PHASES.map((phase) => [phase, []]));
  private drainingSteps: Step[] = [];
  private draining = false;

  /** From now on `/ready` answers 503 `shutting_down`, so that no new caller is sent here. */
  get isDraining(): boolean {
    return this.draining;
  }

  beginDraining(): void {
    this.draining = true;
    for (const step of this.drainingSteps) void step();
  }

  /** Called at the beginning of the end, while requests are still answered. */
  whenDraining(step: Step): void {
    this.drainingSteps.push(step);
  }

  at(phase: Phase, step: Step): void {
    this.steps.get(phase)!.push(step);
  }

  async onApplicationShutdown(): Promise<void> {
    for (const phase of PHASES) {
      const ended = await Promise.allSettled(this.steps.get(phase)!.map(async (step) => { await step(); }));
      for (const result of ended) {
        if (result.status === 'rejected') this.logger.error(result.reason);
      }
    }
  }
}
