import { ORDINARY_CPU } from './cpu-share.js';
import { type ForkRequest } from './forks/template-messages.js';
import { type ProcessesInside, type ScratchDirectory, type StartLimits } from './isolation-spec.js';
import { cpuSecondsOf } from './launch-script.js';
import { type GroupLimits, type ResourceGroups } from './resource-group.js';
import { type Bounds } from './starter.js';

/** bubblewrap, its init, and the shell before it. */
export const TASKS_AROUND = 3;

/** Where programs look for shared memory and semaphores. */
export const SHARED_MEMORY = '/dev/shm';

/** The limits of a program that waits for its work, whether it is started or forked. */
export class StartedLimits {
  /** @param ownUser true when no other program has its user. */
  constructor(
    private readonly limits: StartLimits,
    private readonly processes: ProcessesInside,
    private readonly ownUser: boolean,
  ) {}

  /** The writable directories beside `/tmp`. */
  get scratch(): readonly ScratchDirectory[] {
    const { directories = [], sharedBytes } = this.limits;
    return this.processes === 'any' ? [{ to: SHARED_MEMORY, bytes: sharedBytes }, ...directories] : directories;
  }

  get group(): GroupLimits {
    const { memoryBytes, tasks, cpu = ORDINARY_CPU } = this.limits;
    return { memoryBytes, tasks: tasks + TASKS_AROUND, processes: this.processes, cpu };
  }

  /** Around a fork there is its first process only, so it gets no more for itself than a program that is started. */
  get groupOfFork(): GroupLimits {
    const { group } = this;
    return { ...group, tasks: group.tasks - 1 };
  }

  get bounds(): Bounds {
    const { openFiles, scratchBytes, cpuMs, memoryBytes, idleDataBytes, tasks } = this.limits;
    return {
      openFiles,
      fileBytes: Math.max(scratchBytes, ...this.scratch.map(({ bytes }) => bytes)),
      cpuMs,
      dataBytes: memoryBytes + idleDataBytes,
      // Several programs share the user otherwise, so a limit per user cannot apply to one of them; the filter limits
      // processes instead.
      processes: this.ownUser ? tasks + TASKS_AROUND : null,
    };
  }

  /** What a fork gets. With a cgroup it limits memory and processes, as for programs that are started. */
  forkRequest(mode: ResourceGroups['mode']): Pick<ForkRequest, 'scratch' | 'limits'> {
    const { openFiles, fileBytes, cpuMs, ...others } = this.bounds;
    const { dataBytes, processes } = mode === 'rlimits' ? others : { dataBytes: null, processes: null };
    return {
      scratch: [{ to: '/tmp', bytes: this.limits.scratchBytes }, ...this.scratch],
      limits: {
        CORE: 0,
        NOFILE: openFiles,
        FSIZE: fileBytes,
        ...(cpuMs === null ? {} : { CPU: cpuSecondsOf(cpuMs) }),
        ...(dataBytes === null ? {} : { DATA: dataBytes }),
        ...(processes === null ? {} : { NPROC: processes }),
      },
    };
  }
}
