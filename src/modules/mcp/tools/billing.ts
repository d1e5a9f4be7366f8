import type { ToolFile } from './tool.js';

export const BILLING_TOOLS: ToolFile = {
  group: 'billing',
  tools: [
    {
      name: 'get_usage',
      title: 'Get usage',
      description: 'Returns what the organization used and what it cost, by meter, and by project or day if asked.',
      method: 'GET',
      path: '/api/v1/billing/usage',
      effect: 'reads',
      goesOnWith: 'Ask for a shorter period.',
    },
    {
      name: 'get_forecast',
      title: 'Get the forecast',
      description: 'Returns what this month will probably cost.',
      method: 'GET',
      path: '/api/v1/billing/forecast',
      effect: 'reads',
    },
    {
      name: 'list_prices',
      title: 'List prices',
      description: 'Lists the price of each meter in US dollars.',
      method: 'GET',
      path: '/api/v1/billing/prices',
      effect: 'reads',
      isOutsideProjects: true,
    },
    {
      name: 'estimate_cost',
      title: 'Estimate the cost of a run',
      description:
        'Returns what run_code would cost at most with the same arguments, in US dollars. Runs nothing and costs ' +
        'nothing. For other work, multiply get_usage by list_prices.',
      method: 'POST',
      path: '/api/v1/sandbox/executions',
      effect: 'reads',
      isDryRun: true,
      omits: ['wait'],
      isOutsideProjects: true,
    },
  ],
};
