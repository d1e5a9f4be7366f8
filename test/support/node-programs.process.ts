import { NodePrograms, type NodeProgramsOptions } from '../../src/platform/node-programs/node-programs.js';

/**
 * Asks for a Node, several times at once, in a process of its own; prints what it is told and what comes of it, as
 * lines of JSON.
 */
async function main(): Promise<void> {
  const { options, line, callers } = JSON.parse(process.argv[2]!) as {
    options: NodeProgramsOptions;
    line: string;
    callers: number;
  };
  const programs = new NodePrograms(options);
  const print = (what: object): void => {
    process.stdout.write(`${JSON.stringify(what)}\n`);
  };
  await Promise.all(
    Array.from({ length: callers }, async () => {
      await programs
        .program(line, (told) => {
          print({ told });
        })
        .then(
          (program) => {
            print({ program });
          },
          (error: unknown) => {
            print({ refused: (error as Error).message, name: (error as Error).name });
          },
        );
    }),
  );
}

void main();
