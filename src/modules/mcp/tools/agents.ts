import type { ToolFile } from './tool.js';

export const AGENT_TOOLS: ToolFile = {
  group: 'agents',
  tools: [
    {
      name: 'list_agents',
      title: 'List agents',
      description: 'Lists the agents of the organization, newest first, with what each is for.',
      method: 'GET',
      path: '/api/v1/agents',
      effect: 'reads',
      isOutsideProjects: true,
      goesOnWith: 'Call again with a smaller `limit`, then with `cursor`.',
    },
    {
      name: 'run_agent',
      title: 'Run an agent',
      description:
        'Starts a run of an agent, and returns at once. Follow it with get_run. ' +
        'It costs at most `budget.cost` US dollars.',
      method: 'POST',
      path: '/api/v1/agents/{agent_id}/runs',
      effect: 'writes',
      isNotForRuns: true,
      isOutsideProjects: true,
    },
    {
      name: 'get_run',
      title: 'Get a run',
      description:
        'Returns the state of a run, its output and what it cost. ' +
        '`waiting_for` says what a waiting run needs of a person.',
      method: 'GET',
      path: '/api/v1/runs/{run_id}',
      effect: 'reads',
      quotes: 'the run',
      isOutsideProjects: true,
    },
    {
      name: 'cancel_run',
      title: 'Cancel a run',
      description: 'Cancels a run with all runs below it. What it has done outside of the service stays.',
      method: 'POST',
      path: '/api/v1/runs/{run_id}/cancel',
      effect: 'destroys',
      quotes: 'the run',
      isOutsideProjects: true,
    },
  ],
};
