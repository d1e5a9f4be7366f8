import { BuildFailed } from '../build-failed.js';
import { type ArchiveFacts } from '../collect/archive-reader.js';
import { moreAt } from './more-at.js';
import { type BuildPlan } from './plan-types.js';

/** Refuses an output that is not what the preset says. @throws {BuildFailed} `output_not_found` */
export function requireOutput({ framework, pack, build }: BuildPlan, facts: ArchiveFacts): void {
  const places = pack.candidates.map(({ named }) => named).join(', ');
  const { pageDirectories } = facts;
  const refuse = (message: string): never => {
    throw new BuildFailed('output_not_found', `${message}${moreAt('output')}`);
  };
  const others =
    pageDirectories.length === 0
      ? ''
      : `Pages were found in: ${pageDirectories.map((each) => each.slice(0, 100)).join(', ')}. `;
  const made = build === null ? 'Nothing was built, because there is no build script. ' : '';
  if (!facts.found)
    refuse(
      `No output was found in: ${places}. ${made}${others}Expected is the output of ${framework}. ` +
        'Set the output directory of the project, or its framework.',
    );
  if (facts.isEmpty) refuse(`The output is empty: ${places}. Check the build command.`);
  if (facts.isPageless)
    refuse(
      `The output has no HTML page: ${places}. ${made}${others}Expected is at least one .html file. ` +
        'Set the output directory of the project; for a server, set its start command.',
    );
  if (facts.missing.length > 0)
    refuse(
      `The build did not leave ${facts.missing.join(', ')}, which ${framework} needs to start. ` +
        'Check the build command, or set the start command of the project.',
    );
}
