import type { ToolFile } from './tool.js';

const CONFIRM = {
  confirm: {
    type: 'string',
    maxLength: 200,
    description:
      'The slug of the project, repeated. Send it only when a person agreed to this change of production, ' +
      'and the client cannot ask by itself.',
  },
};

export const DEPLOY_TOOLS: ToolFile = {
  group: 'deploys',
  tools: [
    {
      name: 'deploy_project',
      title: 'Deploy a project',
      description:
        'Builds a branch of the project and puts it online, then waits for the result for up to a minute. ' +
        '`type: preview` is safe to try. `type: production` replaces what visitors see. ' +
        'When `data.state` is not final, call get_deploy; when it is `error`, call get_deploy_logs.',
      method: 'POST',
      path: '/api/v1/projects/{project_id}/deploys',
      effect: 'destroys',
      omits: ['upload_id', 'upload'],
      ownArguments: {
        wait_seconds: {
          type: 'integer',
          minimum: 0,
          maximum: 60,
          default: 45,
          description: 'How long to wait for the deploy to end. Many clients give up after 60 seconds.',
        },
      },
      waitsForDeploy: true,
    },
    {
      name: 'get_deploy',
      title: 'Get a deploy',
      description: 'Returns the state of a deploy, its address, and why it failed.',
      method: 'GET',
      path: '/api/v1/deploys/{deploy_id}',
      effect: 'reads',
    },
    {
      name: 'list_deploys',
      title: 'List deploys',
      description: 'Lists the deploys of a project, newest first.',
      method: 'GET',
      path: '/api/v1/projects/{project_id}/deploys',
      effect: 'reads',
      goesOnWith: 'Call again with a smaller `limit`, then with `cursor`.',
    },
    {
      name: 'get_deploy_logs',
      title: 'Get deploy logs',
      description:
        'Returns the lines that the build of a deploy has printed so far. ' +
        'Pass the last `seq` as `after` for the lines that follow.',
      method: 'GET',
      path: '/api/v1/deploys/{deploy_id}/logs',
      effect: 'reads',
      omits: ['follow'],
      sends: { follow: false },
      answers: 'lines',
      quotes: 'the build',
      goesOnWith: 'Call again with `after` set to the last `seq` that you received.',
    },
    {
      name: 'cancel_deploy',
      title: 'Cancel a deploy',
      description: 'Cancels a deploy that is queued or building.',
      method: 'POST',
      path: '/api/v1/deploys/{deploy_id}/cancel',
      effect: 'destroys',
    },
    {
      name: 'promote_deploy',
      title: 'Promote a deploy',
      description: 'Puts a ready deploy into production without a build. Visitors see it at once. Asks a person first.',
      method: 'POST',
      path: '/api/v1/deploys/{deploy_id}/promote',
      effect: 'destroys',
      isRepeatable: true,
      alsoNeeds: ['deploys:write'],
      planFeature: 'production_deploys',
      ownArguments: CONFIRM,
      asks: 'Promote this deploy to production? Visitors see it at once.',
    },
    {
      name: 'rollback_project',
      title: 'Roll back a project',
      description:
        'Puts an earlier deploy back into production without a build. Visitors see it at once. Asks a person first.',
      method: 'POST',
      path: '/api/v1/projects/{project_id}/rollback',
      effect: 'destroys',
      alsoNeeds: ['deploys:write'],
      planFeature: 'production_deploys',
      ownArguments: CONFIRM,
      asks: 'Roll production back to an earlier deploy? Visitors see it at once.',
    },
  ],
};
