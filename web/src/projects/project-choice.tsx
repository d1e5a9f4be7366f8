import type { ReactNode } from 'react';
import { useProjectNames } from '../data/names';
import { Choice } from '../ui/form';

interface ProjectChoiceProps {
  readonly org: string;
  /** The project that is chosen at first, if any. */
  readonly current?: string | null;
  readonly hint?: string;
}

/** The project that something belongs to. The field is `project_id`, and empty for none. */
export function ProjectChoice({
  org,
  current = null,
  hint = 'Its usage is shown with this project.',
}: ProjectChoiceProps): ReactNode {
  const projects = useProjectNames(org);
  const isThere = current !== null && projects.has(current);
  return (
    // What stands in it at first has to be one of the choices. They may come later than the form.
    <Choice
      key={isThere ? 'there' : 'loading'}
      label="Project"
      name="project_id"
      defaultValue={isThere ? current : ''}
      hint={hint}
    >
      <option value="">None</option>
      {[...projects].map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Choice>
  );
}

/** The name of a project in a table. */
export function ProjectName({ org, project }: { readonly org: string; readonly project: string | null }): ReactNode {
  const projects = useProjectNames(org);
  return (
    <span className="text-muted block max-w-40 truncate">
      {project === null ? '–' : (projects.get(project) ?? project)}
    </span>
  );
}
