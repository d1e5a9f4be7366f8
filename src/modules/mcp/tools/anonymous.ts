import { HELP_TOOLS } from './help.js';
import type { Tool } from './tool.js';

/** The tools that need no key. Their calls count against the address of the caller. */
export const ANONYMOUS_TOOLS: readonly Tool[] = [
  {
    name: 'run_code',
    title: 'Run code',
    description:
      'Runs code in an isolated sandbox and returns what it prints. Nothing is kept between calls, and there is no ' +
      'network. `meta.remaining_executions` is how many runs are left today.',
    method: 'POST',
    path: '/api/v1/sandbox/try',
    effect: 'writes',
    quotes: 'the code',
    goesOnWith: 'Print less, or print the rest in another call.',
  },
  {
    name: 'list_plans',
    title: 'List plans',
    description: 'Lists the plans of this service with their prices, limits and features.',
    method: 'GET',
    path: '/api/v1/billing/plans',
    effect: 'reads',
  },
  ...HELP_TOOLS.tools,
];
