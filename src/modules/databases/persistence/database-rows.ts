/** `own` is a PostgreSQL of its own, and `server` a database on the operator's server. */
export type EngineKind = 'own' | 'server';

export type DatabaseState = 'creating' | 'restoring' | 'ready' | 'failed' | 'deleting' | 'deleted';

/** Why a database refuses writes. */
export const READ_ONLY_CAUSES = ['quota', 'credits', 'archive', 'disk'] as const;
/** Null for a database that does not. */
export type ReadOnlyCause = (typeof READ_ONLY_CAUSES)[number] | null;

/** What a host reports of a database. `frozen` keeps its connections; `asleep` has none. */
export type DatabaseActivity = 'active' | 'idle' | 'frozen' | 'asleep';

export interface DatabaseRow {
  readonly id: string;
  readonly org_id: string;
  readonly project_id: string | null;
  readonly name: string;
  /** The name that clients connect to. It is unique in the service and never changes. */
  readonly label: string;
  readonly engine: EngineKind;
  readonly cluster_id: string;
  readonly host_id: string;
  readonly parent_id: string | null;
  readonly state: DatabaseState;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly read_only_because: ReadOnlyCause;
  readonly activity: DatabaseActivity;
  readonly connections: number;
  readonly last_active_at: Date | null;
  /** Beyond an empty database. PostgreSQL's driver reads `bigint` as text. */
  readonly size_bytes: string;
  readonly empty_bytes: string;
  readonly measured_at: Date | null;
  readonly created_by: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly deleted_at: Date | null;
}
