import { CommanderError } from 'commander';
import { Context } from './context.js';
import { EXIT, exitCodeOf, jsonOf, textOf } from './failures.js';
import { createProgram } from './program.js';

// The reader of our output may stop early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
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
