import type { BuiltOutput } from '../hosting/built-output.js';

/** The result of a build in the form that hosting takes. Its files are on this machine until it is closed. */
export interface Built extends BuiltOutput {
  /**
   * Removes everything that this build has on this machine, except its caches if `keepCaches` is set. It has to be
   * called in any case.
   */
  close(options: { readonly keepCaches: boolean }): Promise<void>;
}
