import type { Settings } from '../persistence/project.entity.js';

/** Absent fields stay the same, and null clears a field. */
export type UpdateProjectInput = Partial<Settings>;

/** Absent fields get their defaults; the slug is derived from the name. */
export type CreateProjectInput = UpdateProjectInput & Pick<Settings, 'name'>;
