import type { JsonSchema, ToolFile } from './tool.js';

const FROM_BYTE: Readonly<Record<string, JsonSchema>> = {
  from_byte: { type: 'integer', minimum: 0, default: 0, description: 'Where to begin, counted from 0.' },
};

export const SANDBOX_TOOLS: ToolFile = {
  group: 'sandbox',
  tools: [
    {
      name: 'run_code',
      title: 'Run code',
      description:
        'Runs code in an isolated sandbox and returns what it prints. Nothing is kept between calls; start_session ' +
        'keeps variables and files. There is no network unless `network` names hosts. With `rich_results`, the value ' +
        'of the last expression of Python and figures of matplotlib are returned, figures as images. With ' +
        '`artifacts`, the files in /artifacts are kept for a day: open them with read_artifact. Charged for the time ' +
        'that it runs.',
      method: 'POST',
      path: '/api/v1/sandbox/executions',
      effect: 'writes',
      omits: ['wait'],
      sends: { wait: true },
      quotes: 'the code',
      answersExecution: true,
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
      name: 'list_sessions',
      title: 'List sessions',
      description:
        'Lists the sessions of the organization, newest first. `status: "frozen"` lists those that wait for their ' +
        'next use. Those that have ended are listed for 30 days.',
      method: 'GET',
      path: '/api/v1/sandbox/sessions',
      effect: 'reads',
      goesOnWith: 'Call again with a smaller `limit`, then with `cursor`.',
      isOutsideProjects: true,
    },
    {
      name: 'run_in_session',
      title: 'Run code in a session',
      description:
        'Runs code in a session and returns what it prints, the value of the last expression, and figures of ' +
        'matplotlib as images. Variables of earlier runs are there, unless an earlier answer had `state_lost`. Runs ' +
        'take turns. With `artifacts`, the files in /artifacts are kept for a day: open them with read_artifact.',
      method: 'POST',
      path: '/api/v1/sandbox/sessions/{session_id}/runs',
      effect: 'writes',
      omits: ['wait'],
      sends: { wait: true },
      quotes: 'the code',
      answersExecution: true,
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
      answersExecution: true,
      goesOnWith: 'Print less, for example with `head`, or print the rest in another call.',
      isOutsideProjects: true,
    },
    {
      name: 'list_session_files',
      title: 'List the files of a session',
      description:
        'Lists up to 1,000 files and directories in the working directory of a session, or in the directory `path`.',
      method: 'GET',
      path: '/api/v1/sandbox/sessions/{session_id}/files',
      effect: 'reads',
      quotes: 'the session',
      goesOnWith: 'List one directory with `path`, or use run_command_in_session.',
      isOutsideProjects: true,
    },
    {
      name: 'read_session_file',
      title: 'Read a file of a session',
      description:
        'Returns a file of a session, of up to 8 MiB: text as text, an image as an image, and other bytes only if ' +
        'they are few. Of a long text, `from_byte` says where to begin.',
      method: 'GET',
      path: '/api/v1/sandbox/sessions/{session_id}/files/content',
      effect: 'reads',
      answers: 'file',
      beginsAt: 'from_byte',
      ownArguments: FROM_BYTE,
      quotes: 'the session',
      isOutsideProjects: true,
    },
    {
      name: 'write_session_file',
      title: 'Write a file of a session',
      description:
        'Writes a file of a session and the directories that it is in, in place of the one that is there. The next ' +
        'code and commands of the session find it.',
      method: 'PUT',
      path: '/api/v1/sandbox/sessions/{session_id}/files/content',
      effect: 'writes',
      isRepeatable: true,
      sendsBytes: { content: 'content', encoding: 'encoding' },
      ownArguments: {
        content: { type: 'string', description: 'What the file contains.' },
        encoding: {
          type: 'string',
          enum: ['text', 'base64'],
          default: 'text',
          description: '`base64` for bytes that are no text.',
        },
      },
      isOutsideProjects: true,
    },
    {
      name: 'list_artifacts',
      title: 'List artifacts',
      description:
        'Lists the files that an execution of run_code, run_in_session or run_command_in_session kept. ' +
        '`execution_id` is the `id` of its answer. They are kept for a day.',
      method: 'GET',
      path: '/api/v1/sandbox/executions/{execution_id}/artifacts',
      effect: 'reads',
      quotes: 'the code',
      isOutsideProjects: true,
    },
    {
      name: 'read_artifact',
      title: 'Read an artifact',
      description:
        'Returns a file that an execution kept: text as text, an image as an image, and other bytes only if they are ' +
        'few. Of a long text, `from_byte` says where to begin.',
      method: 'GET',
      path: '/api/v1/sandbox/executions/{execution_id}/artifacts/{artifact_id}/content',
      effect: 'reads',
      answers: 'file',
      beginsAt: 'from_byte',
      ownArguments: FROM_BYTE,
      quotes: 'the code',
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
