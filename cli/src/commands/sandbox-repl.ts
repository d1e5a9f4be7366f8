import type { Language } from '@service/client';
import { LiveSandbox } from '@service/client/sandbox';
import type { Command } from 'commander';
import { saveArtifacts } from '../artifacts.js';
import { Context } from '../context.js';
import { UsageError } from '../failures.js';
import type { EndedRun } from '../sandbox/ended-run.js';
import { Repl } from '../sandbox/repl.js';
import { SavedResults } from '../sandbox/saved-results.js';
import { SAVE_RESULTS_OPTION } from '../sandbox/shown-results.js';
import {
  languageOption,
  PACKAGE_OPTION,
  packageFieldsOf,
  type PackageOptions,
  packageSetOption,
} from '../sandbox/run-options.js';

interface ReplOptions extends PackageOptions {
  readonly language?: Language;
  readonly session?: string;
  readonly artifacts?: string;
  readonly saveResults?: string;
  readonly allow?: readonly string[];
}

export function addSandboxRepl(sandbox: Command): void {
  sandbox
    .command('repl')
    .description('run code line by line in a session of the sandbox')
    .addOption(languageOption('language of the session (default: python)'))
    .option('--session <id>', 'go on in this session, which stays afterwards')
    .option('--allow <host...>', 'hosts that the code may connect to, such as api.example.com or *.example.org')
    .option('--artifacts <directory>', 'save the files that each step leaves in /artifacts to this directory')
    .option(...SAVE_RESULTS_OPTION)
    .addOption(packageSetOption())
    .option(...PACKAGE_OPTION)
    .action(
      async ({ language, session: id, artifacts, saveResults, allow, ...options }: ReplOptions, command: Command) => {
        const packages = packageFieldsOf(options);
        if (id !== undefined && (language !== undefined || Object.keys(packages).length > 0))
          throw new UsageError(
            '--session goes on in a session that has its language and packages. ' +
              'Leave out --language, --package-set and --package.',
          );
        if (id !== undefined && allow !== undefined)
          throw new UsageError('--session goes on in a session that has its network. Leave out --allow.');
        const context = await Context.of(command);
        if (context.json) throw new UsageError('--json cannot be used here. Use "sandbox session run".');
        const service = await context.service();
        const { sessions } = new LiveSandbox(service);
        const network = allow === undefined ? {} : { network: { allow } };
        const session =
          id === undefined
            ? await sessions.create({ language: language ?? 'python', ...packages, ...network })
            : await sessions.get(id);
        try {
          const kept = {
            results: new SavedResults(saveResults),
            saveArtifacts:
              artifacts === undefined ? undefined : (ended: EndedRun) => saveArtifacts(service, ended, artifacts),
          };
          await new Repl(context, session, session.info!.language, kept).run();
        } finally {
          if (id === undefined) await session.end().catch(() => undefined);
        }
      },
    );
}
