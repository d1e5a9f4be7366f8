import type { ToolFile } from './tool.js';

export const REPOSITORY_TOOLS: ToolFile = {
  group: 'repositories',
  tools: [
    {
      name: 'list_templates',
      title: 'List templates',
      description: 'Lists the starters that create_repository can copy.',
      method: 'GET',
      path: '/api/v1/repositories/templates',
      effect: 'reads',
      isOutsideProjects: true,
    },
    {
      name: 'list_repositories',
      title: 'List repositories',
      description:
        'Lists the git repositories of the organization, newest first. ' +
        'Pass `meta.next_cursor` as `cursor` for the next page.',
      method: 'GET',
      path: '/api/v1/repositories',
      effect: 'reads',
      goesOnWith: 'Call again with a smaller `limit`, then with `cursor`.',
    },
    {
      name: 'create_repository',
      title: 'Create a repository',
      description:
        'Creates a git repository from a template, or an empty one. ' +
        'Use its `repo_url` in create_project, and push to it with git and an API key as the password.',
      method: 'POST',
      path: '/api/v1/repositories',
      effect: 'writes',
    },
    {
      name: 'read_files',
      title: 'Read files',
      description:
        'Reads files and lists directories of a repository of this service, and names the `commit` that they were ' +
        'read at. Without `path` it lists the root.',
      method: 'GET',
      path: '/api/v1/repositories/{repository_id}/files',
      effect: 'reads',
      quotes: 'the repository',
      goesOnWith: 'Read fewer files at once.',
    },
    {
      name: 'write_files',
      title: 'Write files',
      description:
        'Adds a commit to a branch of a repository of this service, as a push does. Pass the `commit` of read_files ' +
        'as `expected_head`. A branch that does not exist begins there. A commit to the production branch of a ' +
        'project replaces what visitors see: try a change on another branch, and deploy that with deploy_project.',
      method: 'POST',
      path: '/api/v1/repositories/{repository_id}/commits',
      effect: 'destroys',
    },
  ],
};
