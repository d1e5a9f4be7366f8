import type { ToolFile } from './tool.js';

export const SANDBOX_TOOLS: ToolFile = {
  group: 'sandbox',
  tools: [
    {
      name: 'run_code',
      title: 'Run code',
      description:
        'Runs code in an isolated sandbox and returns what it prints. Nothing is kept between calls, and there is no ' +
        'network. Charged for the time that it runs.',
      method: 'POST',
      path: '/api/v1/sandbox/executions',
      effect: 'writes',
      omits: ['wait'],
      sends: { wait: true },
      quotes: 'the code',
      goesOnWith: 'Print less, or print the rest in another call.',
      isOutsideProjects: true,
    },
  ],
};
