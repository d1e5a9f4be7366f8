import { type PackageChoice, type PackageEcosystem, type PackageSetName } from './packages.js';
import { type Language } from './sandbox-runtime.js';

export interface PackageSet {
  readonly languages: readonly Language[];
  readonly ecosystem: PackageEcosystem;
  readonly packages: readonly string[];
}

/**
 * The sets that this version of the service offers, with their exact versions. What they depend on is resolved, and the
 * hashes of all files are locked, when a set is first installed.
 */
export const PACKAGES_OF_SETS: Readonly<Record<PackageSetName, PackageSet>> = {
  'python-data': {
    languages: ['python'],
    ecosystem: 'pip',
    packages: ['matplotlib==3.10.9', 'numpy==2.4.6', 'pandas==3.0.6', 'requests==2.34.2'],
  },
  'node-common': {
    languages: ['javascript', 'typescript'],
    ecosystem: 'npm',
    packages: [
      'cheerio@1.2.0',
      // Importing version 4 takes three seconds and 250 MiB, and that is all that a run has by default.
      'date-fns@3.6.0',
      'dayjs@1.11.23',
      'lodash@4.18.1',
      'nanoid@6.0.2',
      'papaparse@5.7.1',
      'uuid@14.0.3',
      'zod@4.6.7',
    ],
  },
};

export const choiceOfSet = (set: PackageSetName): PackageChoice => {
  const { ecosystem, packages } = PACKAGES_OF_SETS[set];
  return { set, ecosystem, packages };
};
