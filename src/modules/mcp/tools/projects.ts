import type { ToolFile } from './tool.js';

/** Values of variables are secrets of applications, which a model does not need. */
const VARIABLE_FIELDS = ['name', 'targets', 'secret', 'updated_at'] as const;

export const PROJECT_TOOLS: ToolFile = {
  group: 'projects',
  tools: [
    {
      name: 'list_projects',
      title: 'List projects',
      description:
        'Lists the projects of the organization, newest first, each with its last deploy. ' +
        'Pass `meta.next_cursor` as `cursor` for the next page.',
      method: 'GET',
      path: '/api/v1/projects',
      effect: 'reads',
      goesOnWith: 'Call again with a smaller `limit`, then with `cursor`.',
    },
    {
      name: 'get_project',
      title: 'Get a project',
      description: 'Returns a project by id or slug: its repository, framework and production branch.',
      method: 'GET',
      path: '/api/v1/projects/{project_id}',
      effect: 'reads',
    },
    {
      name: 'create_project',
      title: 'Create a project',
      description:
        'Creates a project in the organization. Link a repository with `repo_url`, from list_repositories or ' +
        'create_repository, then call deploy_project.',
      method: 'POST',
      path: '/api/v1/projects',
      effect: 'writes',
    },
    {
      name: 'update_project',
      title: 'Update a project',
      description: 'Changes the given fields of a project and leaves the others. Null clears a field.',
      method: 'PATCH',
      path: '/api/v1/projects/{project_id}',
      effect: 'destroys',
      isRepeatable: true,
    },
    {
      name: 'list_variables',
      title: 'List variables',
      description: 'Lists the names of the environment variables of a project. Values are never returned.',
      method: 'GET',
      path: '/api/v1/projects/{project_id}/env',
      effect: 'reads',
      keeps: VARIABLE_FIELDS,
    },
    {
      name: 'set_variables',
      title: 'Set variables',
      description:
        'Sets environment variables of a project, and replaces those of the same name. Others stay. ' +
        'The next deploy uses them. Returns names and no values.',
      method: 'PUT',
      path: '/api/v1/projects/{project_id}/env',
      effect: 'destroys',
      isRepeatable: true,
      keeps: VARIABLE_FIELDS,
    },
  ],
};
