/** How this process isolates what it launches. The settings of a module say it; the roles name the module. */
export abstract class IsolationSettings {
  abstract readonly cgroups: 'auto' | 'off';
  /** The share of everything isolated on this machine together. */
  abstract readonly cpuWeight: number;
  /** Undefined: bubblewrap is where it usually is. */
  abstract readonly bubblewrap: string | undefined;
  /** Programs are copied to it when isolated users cannot reach them where they are. */
  abstract readonly copiesDirectory: string;
}
