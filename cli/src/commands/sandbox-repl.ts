import type { Language } from '@service/client';
import { LiveSandbox } from '@service/client/sandbox';
import type { Command } from 'commander';
import { Context } from '../context.js';
import { UsageError } from '../failures.js';
import { Repl } from '../sandbox/repl.js';
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
}

export function addSandboxRepl(sandbox: Command): void {
  sandbox
    .command('repl')
    .description('run code line by line in a session of the sandbox')
    .addOption(languageOption('language of the session (default: python)'))
    .option('--session <id>', 'go on in this session, which stays afterwards')
    .addOption(packageSetOption())
    .option(...PACKAGE_OPTION)
    .action(async ({ language, session: id, ...options }: ReplOptions, command: Command) => {
      const packages = packageFieldsOf(options);
      if (id !== undefined && (language !== undefined || Object.keys(packages).length > 0))
        throw new UsageError(
          'A session has its language and packages already. Leave out --language, --package-set and --package.',
        );
      const context = await Context.of(command);
      if (context.json) throw new UsageError('--json cannot be used here. Use "sandbox session run".');
      const { sessions } = new LiveSandbox(await context.service());
      const session =
        id === undefined
          ? await sessions.create({ language: language ?? 'python', ...packages })
          : await sessions.get(id);
      try {
        await new Repl(context, session, session.info!.language).run();
      } finally {
        if (id === undefined) await session.end().catch(() => undefined);
      }
    });
}
