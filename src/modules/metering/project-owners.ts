/**
 * Finds the organization of a project. `projects` implements it, because it is above `metering` in the tree of modules.
 */
export abstract class ProjectOwners {
  /** Returns the organization of each project by id, deleted projects included. Unknown ids are left out. */
  abstract ownersOf(projectIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
