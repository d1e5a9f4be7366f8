import type { Duplex } from 'node:stream';
import type { EngineKind } from '../persistence/database-rows.js';

/** The limits of a cluster, by the plan of its organization. */
export interface ClusterLimits {
  readonly maxConnections: number;
  readonly memoryBytes: number;
  /** The quota. A tenth of it limits the temporary files of one session. */
  readonly diskBytes: number;
}

/** The roles inside of every database. Nobody but the service connects as `platform`. */
export type DatabaseRole = 'platform' | 'owner' | 'reader';

/**
 * What is refused. `read_only`: transactions of `owner` are read-only unless they say otherwise, so that a tenant can
 * still delete. `reader_only`: `owner` cannot connect.
 */
export type Restriction = 'none' | 'read_only' | 'reader_only';

/**
 * Keeps the data of databases on this host. All methods may be repeated: one that was interrupted is called again with
 * the same arguments.
 */
export abstract class DatabaseEngine {
  abstract readonly kind: EngineKind;
  abstract readonly can: { readonly branch: boolean; readonly restore: boolean };

  /** Creates the data of an empty database: all of it or nothing. */
  abstract create(clusterId: string): Promise<void>;

  /**
   * Wakes the database, and opens a connection to its server, on which the caller speaks the protocol of PostgreSQL
   * from the startup message on. No password is asked for. The connection counts as activity until it ends.
   * @throws {DatabaseUnavailable} `database_unavailable`
   */
  abstract connect(clusterId: string): Promise<Duplex>;

  /** Stops the server. Open connections end. */
  abstract sleep(clusterId: string): Promise<void>;

  /** The size in bytes of an empty database, and of this one. A sleeping one is not woken. */
  abstract measure(clusterId: string): Promise<Measured>;

  /**
   * Sets what is refused from now on, after a restart too. Sessions that it refuses are ended.
   * @throws {DatabaseUnavailable} `database_unavailable` when the server runs and does not answer.
   */
  abstract restrict(clusterId: string, restriction: Restriction): Promise<void>;

  /** Ends the sessions of `owner` that are writing. Returns how many there were. A sleeping database has none. */
  abstract endWriters(clusterId: string): Promise<number>;

  /** Creates a database with the same contents. The parent is not changed, and goes on. */
  abstract clone(parentId: string, clusterId: string): Promise<void>;

  /** Removes the data. */
  abstract drop(clusterId: string): Promise<void>;
}

export interface Measured {
  readonly emptyBytes: bigint;
  readonly bytes: bigint;
}
