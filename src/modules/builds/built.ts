import type { BuiltOutput } from '../hosting/built-output.js';

/** The result of a build in the form that hosting takes. Its files are on this machine until it is closed. */
export interface Built extends BuiltOutput {
  /** The settings that the build used, with where each of them comes from. */
  readonly settings: UsedSettings;
  /**
   * Removes everything that this build has on this machine, except its caches if `keepCaches` is set. It has to be
   * called in any case.
   */
  close(options: { readonly keepCaches: boolean }): Promise<void>;
}

/** `set` by the project, `file` of the repository (vercel.json, netlify.toml, package.json, .nvmrc), or `detected`. */
export type SettingSource = 'set' | 'file' | 'detected';

export interface UsedSetting<Value> {
  readonly value: Value;
  readonly source: SettingSource;
}

/** The settings that a build uses, by their names in the API. Null stands for nothing: no command, no server. */
export interface UsedSettings {
  readonly framework: UsedSetting<string>;
  readonly root_directory: UsedSetting<string | null>;
  readonly node_version: UsedSetting<string | null>;
  readonly install_command: UsedSetting<string | null>;
  readonly build_command: UsedSetting<string | null>;
  readonly output_directory: UsedSetting<string | null>;
  readonly start_command: UsedSetting<string | null>;
  readonly health_path: UsedSetting<string | null>;
  readonly start_timeout_ms: UsedSetting<number | null>;
}
