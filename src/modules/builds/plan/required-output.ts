import { BuildFailed } from '../build-failed.js';
import { type ArchiveFacts } from '../collect/archive-reader.js';
import { moreAt } from './more-at.js';
import type { Routing } from '../../hosting/built-output.js';
import { type BuildPlan } from './plan-types.js';

/** Answers `/`. */
export const FRONT_PAGE = 'index.html';

/** Refuses an output that is not what the preset says. @throws {BuildFailed} `output_not_found` */
export function requireOutput({ framework, pack, build }: BuildPlan, facts: ArchiveFacts): void {
  const places = pack.candidates.map(({ named }) => named).join(', ');
  const refuse = (message: string): never => {
    throw new BuildFailed('output_not_found', `${message}${moreAt('output')}`);
  };
  const others = pagesIn(facts);
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

/** Refuses a site that has nothing to show at `/`. @throws {BuildFailed} `output_not_found` */
export function requireFrontPage({ pack }: BuildPlan, facts: ArchiveFacts, routing: Routing): void {
  const hasRule = [...routing.redirects, ...routing.rewrites].some(({ source }) => MAY_MEAN_FRONT_PAGE.test(source));
  if (!pack.needsPage || facts.pages.includes(FRONT_PAGE) || hasRule) return;
  throw new BuildFailed(
    'output_not_found',
    `The pages have no ${FRONT_PAGE} at their top, so that / would be 404. ${pagesIn(facts)}` +
      'Expected is a page for /. Set the output directory of the project to the one with that page, or redirect / to ' +
      `another page.${moreAt('output')}`,
  );
}

const MAY_MEAN_FRONT_PAGE = /^\/(?:$|[:(*])/;

const pagesIn = ({ pageDirectories }: ArchiveFacts): string =>
  pageDirectories.length === 0
    ? ''
    : `Pages were found in: ${pageDirectories.map((each) => each.slice(0, 100)).join(', ')}. `;
