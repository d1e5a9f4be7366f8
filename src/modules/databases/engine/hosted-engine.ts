import type { DatabaseActivity, EngineKind } from '../persistence/database-rows.js';

/** What happens in a cluster at the moment. */
export interface ClusterActivity {
  readonly clusterId: string;
  readonly activity: DatabaseActivity;
  readonly connections: number;
  /** How long no client has used it. */
  readonly quietMs: number;
}

/** The engine as its host sees it: opened once, then asked what is missing, and closed at the end. */
export abstract class HostedEngine {
  abstract readonly kind: EngineKind;

  /** The id of this host, which is kept with the data, or undefined before it is open. */
  abstract readonly hostId: string | undefined;

  /** The clusters that were used in this process. Those that are not among them sleep. */
  abstract readonly activities: readonly ClusterActivity[];

  /** How many clusters have data on this host. */
  abstract readonly count: number;

  /** Opens the data of this host. It may be called again, and returns the id of the host. */
  abstract open(): Promise<string>;

  /** Returns what this machine lacks, each as the thing to install or set. */
  abstract missing(): Promise<readonly string[]>;

  /** The version of PostgreSQL, such as `18.4`, or empty when it is not known. */
  abstract version(): Promise<string>;

  /** Measures the clusters that can grow at the moment. */
  abstract measureAwake(): Promise<void>;

  /** Forgets a cluster that sleeps, after that was reported. */
  abstract forget(clusterId: string): void;

  /** Stops everything in order. */
  abstract close(): Promise<void>;
}
