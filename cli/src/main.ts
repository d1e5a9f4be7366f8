import { CommanderError } from 'commander';
import { Context } from './context.js';
import { EXIT, exitCodeOf, isUnread, jsonOf, textOf } from './failures.js';
import { createProgram } from './program.js';
import { hasToUndo } from './sandbox/printed-run.js';

process.stdout.on('error', (error) => {
  if (hasToUndo()) return;
  if (!isUnread(error)) throw error;
  process.exit(EXIT.ok);
});

const program = createProgram();
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has printed its own errors already. It also throws for help and version, which are not errors.
    process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  } else {
    process.exitCode = exitCodeOf(error);
    await report(error);
  }
}

async function report(error: unknown): Promise<void> {
  const context = await Context.of(program).catch(() => undefined);
  const url = context?.url ?? 'The service';
  process.stderr.write(
    context?.json === true
      ? `${JSON.stringify(jsonOf(error, url))}\n`
      : `${context?.notePaint.red('service:') ?? 'service:'} ${textOf(error, url)}\n`,
  );
}
