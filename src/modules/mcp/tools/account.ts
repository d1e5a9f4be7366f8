import type { ToolFile } from './tool.js';

export const ACCOUNT_TOOLS: ToolFile = {
  group: 'account',
  tools: [
    {
      name: 'whoami',
      title: 'Who am I',
      description:
        'Returns the user, the API key, its scopes and the organization that calls act in. ' +
        'Call it first when you do not know what this connection may do.',
      method: 'GET',
      path: '/api/v1/me',
      effect: 'reads',
      isOutsideProjects: true,
    },
    {
      name: 'list_organizations',
      title: 'List organizations',
      description: 'Lists the organizations that this connection has access to, with plan and role.',
      method: 'GET',
      path: '/api/v1/orgs',
      effect: 'reads',
      isOutsideProjects: true,
    },
    {
      name: 'get_budget',
      title: 'Get credits',
      description:
        'Returns the balance of credits in US dollars, what is held for running work, and the grants. ' +
        'Call it before work that costs money.',
      method: 'GET',
      path: '/api/v1/billing/credits',
      effect: 'reads',
      isOutsideProjects: true,
    },
    {
      name: 'explain_access',
      title: 'Explain access',
      description:
        'Explains whether this connection may call an endpoint of the API, which scope is missing, and how to get ' +
        'it. Call it after an `insufficient_scopes` or another 403.',
      method: 'POST',
      path: '/api/v1/auth/explain',
      effect: 'reads',
      isOutsideProjects: true,
    },
  ],
};
