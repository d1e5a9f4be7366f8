export interface SiblingProcess {
  readonly isUp: boolean;
  /** How often the process was restarted after it had died. */
  readonly restarts: number;
}

/** The other processes of this service on this machine, when one supervisor has started them all. */
export abstract class SiblingProcesses {
  /** False until all of them have been up once. */
  abstract get haveStarted(): boolean;

  /** Returns the processes by role; empty without a supervisor. */
  abstract states(): Readonly<Record<string, SiblingProcess>>;

  /** Returns the metrics of those that answer in time, in the text format of Prometheus. */
  abstract metrics(): Promise<readonly string[]>;
}

/** Used by a process that has no supervisor. */
export class NoSiblings extends SiblingProcesses {
  readonly haveStarted = true;

  states(): Readonly<Record<string, SiblingProcess>> {
    return {};
  }

  metrics(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }
}
