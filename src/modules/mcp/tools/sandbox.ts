import type { ToolFile } from './tool.js';

export const SANDBOX_TOOLS: ToolFile = {
  group: 'sandbox',
  tools: [
    {
      name: 'run_code',
      title: 'Run code',
      description:
        'Runs code in an isolated sandbox and returns what it prints. Nothing is kept between calls; start_session ' +
        'keeps variables and files. There is no network unless `network` names hosts. With `rich_results`, the value ' +
        'of the last expression of Python and figures of matplotlib are returned, figures as images. Charged for the ' +
        'time that it runs.',
      method: 'POST',
      path: '/api/v1/sandbox/executions',
      effect: 'writes',
      omits: ['wait'],
      sends: { wait: true },
      quotes: 'the code',
      showsImages: true,
      goesOnWith: 'Print less, or print the rest in another call.',
      isOutsideProjects: true,
    },
    {
      name: 'start_session',
      title: 'Start a session',
      description:
        'Starts an isolated interpreter that keeps its variables, imports and files, for work in several steps. ' +
        'Pass its `id` to run_in_session. `package_set` and `packages` say which packages it has. There is no ' +
        'network unless `network` names hosts. Only the time of runs is charged. It ends when it is not used ' +
        'for `idle_timeout_seconds`; end it with end_session when you are done.',
      method: 'POST',
      path: '/api/v1/sandbox/sessions',
      effect: 'writes',
      isOutsideProjects: true,
    },
    {
      name: 'run_in_session',
      title: 'Run code in a session',
      description:
        'Runs code in a session and returns what it prints, the value of the last expression, and figures of ' +
        'matplotlib as images. Variables of earlier runs are there, unless an earlier answer had `state_lost`. Runs ' +
        'take turns. With `artifacts`, the files in /artifacts are kept for a day, and the answer names them.',
      method: 'POST',
      path: '/api/v1/sandbox/sessions/{session_id}/runs',
      effect: 'writes',
      omits: ['wait'],
      sends: { wait: true },
      quotes: 'the code',
      showsImages: true,
      goesOnWith: 'Print less, or print the rest in another call.',
      isOutsideProjects: true,
    },
    {
      name: 'run_command_in_session',
      title: 'Run a command in a session',
      description:
        'Runs a command of the shell in the working directory of a session, and returns what it prints and its exit ' +
        'code. It sees the files of the code, and the code sees those of the command.',
      method: 'POST',
      path: '/api/v1/sandbox/sessions/{session_id}/shell',
      effect: 'writes',
      omits: ['wait'],
      sends: { wait: true },
      quotes: 'the command',
      goesOnWith: 'Print less, for example with `head`, or print the rest in another call.',
      isOutsideProjects: true,
    },
    {
      name: 'end_session',
      title: 'End a session',
      description:
        'Ends a session of start_session, and what runs in it. Its variables and files are gone. One that has ended ' +
        'stays as it is.',
      method: 'DELETE',
      path: '/api/v1/sandbox/sessions/{session_id}',
      effect: 'destroys',
      isRepeatable: true,
      isOutsideProjects: true,
    },
  ],
};
