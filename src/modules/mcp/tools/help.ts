import type { ToolFile } from './tool.js';

export const HELP_TOOLS: ToolFile = {
  group: 'help',
  tools: [
    {
      name: 'search_docs',
      title: 'Search the documentation',
      description:
        'Finds sections of the documentation of this service by words. ' +
        'Read a whole page as the resource `service://docs/{page}`.',
      method: 'GET',
      path: '/docs/suggestions',
      effect: 'reads',
      undocumented: {
        in: 'query',
        properties: { q: { type: 'string', minLength: 1, maxLength: 100, description: 'A few words.' } },
      },
      isOutsideProjects: true,
    },
    {
      name: 'explain_error',
      title: 'Explain an error',
      description: 'Explains an error code such as `insufficient_scopes`: what it means, why it comes, what to do.',
      method: 'GET',
      path: '/docs/errors/{code}',
      effect: 'reads',
      answers: 'text',
      undocumented: {
        in: 'path',
        properties: {
          code: { type: 'string', pattern: '^\\w{1,64}$', description: 'The `error.code` of a failed call.' },
        },
      },
      isOutsideProjects: true,
    },
  ],
};
