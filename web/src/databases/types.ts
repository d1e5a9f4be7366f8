/** What the client library leaves open in the answers for databases. */

interface SchemaColumn {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly default: string | null;
}

interface TableSize {
  readonly schema: string;
  readonly name: string;
  /** Null before the table was analyzed. */
  readonly row_estimate: number | null;
  readonly size_bytes: number;
}

export interface SchemaTable extends TableSize {
  readonly columns: readonly SchemaColumn[];
  readonly indexes: readonly { readonly name: string; readonly primary: boolean; readonly definition: string }[];
}

export interface Tables {
  readonly tables: readonly SchemaTable[];
  readonly truncated: boolean;
}

export interface Stats {
  readonly connections: number;
  readonly cache_hit_rate: number | null;
  readonly tables: readonly TableSize[];
  /** Null where statements are not counted. */
  readonly slow_statements:
    | readonly {
        readonly statement: string;
        readonly calls: number;
        readonly mean_ms: number;
        readonly total_ms: number;
      }[]
    | null;
}
