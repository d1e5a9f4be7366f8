import { NodePrograms, type NodeProgramsOptions } from '../../src/platform/node-programs/node-programs.js';

/**
 * Asks for a Node, several times at once, in a process of its own; prints its progress and its result, as
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
        .program(line, (progress) => {
          print({ progress });
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
