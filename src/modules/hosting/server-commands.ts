/** Lets a shell find the programs of the packages of the project. */
export const PATH_OF_PACKAGES = 'PATH="$PWD/node_modules/.bin:$PATH"; ';

/**
 * Lets a shell find the packages of a Python project, which lie in `packages`. `paths` are further places of modules.
 */
export const pythonEnvironment = (packages: string, paths: string): string =>
  `export PATH="$PWD/${packages}/bin:$PATH" PYTHONPATH="$PWD/${packages}${paths}"; `;

const PYTHON_ENVIRONMENT = /^export PATH=\S{1,200} PYTHONPATH=\S{1,200}; (?:exec )?/;

/** The command of a server as a person would write it: without the shell, and the paths that are added for it. */
export function spoken(command: readonly string[]): string {
  const [program = '', option, script, ...others] = command;
  const isScript = /(?:^|\/)sh$/.test(program) && option === '-c' && script !== undefined && others.length === 0;
  if (!isScript) return command.join(' ');
  if (script.startsWith(PATH_OF_PACKAGES)) return script.slice(PATH_OF_PACKAGES.length);
  return script.replace(PYTHON_ENVIRONMENT, '');
}
