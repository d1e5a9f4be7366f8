import type { BuiltOutput } from '../hosting/built-output.js';

/** The result of a build, as hosting takes it. Its files are on this machine until it is closed. */
export interface Built extends BuiltOutput {
  /**
   * Removes everything that this build has on this machine, and keeps its caches for the next one if the deploy went
   * well. To be called in any case.
   */
  close(options: { readonly keepCaches: boolean }): Promise<void>;
}
