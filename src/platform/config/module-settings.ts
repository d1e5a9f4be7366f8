import type { Config } from './config.js';

/**
 * The settings of one module. A subclass declares each as a field, with its default, in the module's
 * `<module>.settings.ts`; `src/roles/settings.ts` lists the classes, and services inject them.
 */
export abstract class ModuleSettings {
  constructor(protected readonly config: Config) {}

  /**
   * Reports faults between several settings: one sentence each, which names settings and shows no value. It is called
   * even when single values are at fault, so that everything is reported at once.
   */
  faults?(environment: NodeJS.ProcessEnv): readonly string[];
}
