export interface SiblingProcess {
  readonly isUp: boolean;
  /** How often it was started again after it had died. */
  readonly restarts: number;
}

/** The other processes of this service on this machine, where one supervisor has started them all. */
export abstract class SiblingProcesses {
  /** False until all of them have been up once. */
  abstract get haveStarted(): boolean;

  /** By role; without a supervisor none. */
  abstract states(): Readonly<Record<string, SiblingProcess>>;

  /** The metrics of those that answer soon, in the text format of Prometheus. */
  abstract metrics(): Promise<readonly string[]>;
}

/** A process that was started by itself knows of no others. */
export class NoSiblings extends SiblingProcesses {
  readonly haveStarted = true;

  states(): Readonly<Record<string, SiblingProcess>> {
    return {};
  }

  metrics(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }
}
