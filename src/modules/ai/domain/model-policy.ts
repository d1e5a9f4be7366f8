/** What an organization allows its own calls of models. */
export interface ModelPolicy {
  /** Globs such as `openai/*`. Null allows all models. */
  readonly allowedModels: readonly string[] | null;
  /** Globs. They come before those that allow. */
  readonly deniedModels: readonly string[];
  /** True if only providers that keep no texts may get them. */
  readonly zeroRetentionOnly: boolean;
  /** True if requests that contain a key of this service are refused. */
  readonly blocksSecrets: boolean;
  /** How many days the texts of generations are kept. Null means not at all. */
  readonly retentionDays: number | null;
}

export const MAX_RETENTION_DAYS = 30;

/** What holds for an organization that has set nothing. */
export const DEFAULT_POLICY: ModelPolicy = {
  allowedModels: null,
  deniedModels: [],
  zeroRetentionOnly: false,
  blocksSecrets: true,
  retentionDays: null,
};
