import { type Mount } from '../../../platform/isolation/isolation-spec.js';
import { sitePackagesOf, systemPython } from '../../../platform/python/system-python.js';
import { type Language } from '../domain/sandbox-runtime.js';

/** python-bootstrap.py searches it last, so that no package takes the place of a module of the standard library. */
const PYTHON_PACKAGES = '/packages';
/** Node looks here last for what `/tmp/main.js` requires or imports. */
const NODE_PACKAGES = '/node_modules';

/** Each thread of these libraries reserves memory, and a run has about one processor. */
const PYTHON_ENVIRONMENT = { OPENBLAS_NUM_THREADS: '1', OMP_NUM_THREADS: '1', MPLBACKEND: 'Agg' };

export interface PackagesInside {
  readonly mounts: readonly Mount[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Returns what a sandbox needs so that its programs find the packages in a directory of this machine. */
export function packagesInside(language: Language, directory: string): PackagesInside {
  if (language !== 'python') return { mounts: [{ from: directory, to: NODE_PACKAGES }], environment: {} };
  // The second place is for programs that the program starts, which have the usual search path.
  const places = [PYTHON_PACKAGES, sitePackagesOf(systemPython())];
  return { mounts: places.map((to) => ({ from: directory, to })), environment: PYTHON_ENVIRONMENT };
}
