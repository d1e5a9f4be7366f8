/** How this process isolates what it launches. A module's settings provide the values; the roles name the module. */
export abstract class IsolationSettings {
  abstract readonly cgroups: 'auto' | 'off';
  /** The weight of everything isolated on this machine together. */
  abstract readonly cpuWeight: number;
  /** Undefined when bubblewrap is in one of its usual places. */
  abstract readonly bubblewrap: string | undefined;
  /** Programs are copied to it when isolated users cannot reach them where they are. */
  abstract readonly copiesDirectory: string;
}
