import { type Mount } from '../../../platform/isolation/isolation-spec.js';
import { installWithConflicts, installWithout, packageToLeaveOut, releaseInPlaceOf } from '../plan/install-again.js';
import { installFailure } from '../plan/install-failure.js';
import { type BuildSession } from '../workspace/build-session.js';
import { type ToolContext, type UserSteps, variablesOf } from './user-steps.js';

interface Installed {
  /** The cached packages to mount, or null when the build has its own. */
  readonly shared: Mount | null;
  /** False when an install script was left out, so that the packages are not kept for other builds. */
  readonly isWhole: boolean;
}

/** Installs the packages of a build, and once more in another way where that helps. */
export class PackageInstalls {
  constructor(private readonly steps: UserSteps) {}

  /** @throws {BuildFailed} `install_failed` */
  async install({
    session,
    request,
    plan,
    observer,
    tools,
    modules,
  }: ToolContext & { modules: Mount | null }): Promise<Installed> {
    if (plan.install === null) return { shared: null, isWhole: true };
    observer.phase('install');
    const { command, directory } = plan.install;
    if (modules !== null && (plan.leavesModulesAlone || (await this.copyModules(session, directory, modules)))) {
      session.say('Packages: as installed before, from the cache.');
      const mount = { from: `${modules.from}/node_modules`, to: `${directory}/node_modules` };
      return { shared: plan.leavesModulesAlone ? mount : null, isWhole: true };
    }
    const leftOut: string[] = [];
    for (let [own, now] = [command, command]; ; now = leftOut.length === 0 ? own : installWithout(own, leftOut)) {
      session.say(`$ ${leftOut.length === 0 ? now : `${own}, without the install script of ${leftOut.join(', ')}`}`);
      const end = await session.run(
        await this.steps.of({ session, request, plan, tools }, { command: now, directory, environment: {} }),
      );
      if (end.exitStatus === 0) return { shared: null, isWhole: leftOut.length === 0 };
      const relaxed = installWithConflicts({ ...end, command: own });
      if (relaxed !== null) {
        session.say(
          'Packages ask for versions of each other that do not fit, and no lock file says which to use. They are ' +
            'installed again without regard to that. Commit a lock file, so that each build has the same versions.',
        );
        own = relaxed;
        continue;
      }
      const name = packageToLeaveOut({ ...end, command }, leftOut);
      const release = name === null ? null : releaseInPlaceOf(name);
      // A project without a package that it names itself would only fail later.
      if (name === null || (release === null && plan.dependencies.includes(name))) {
        throw installFailure({ ...end, command, variables: variablesOf({ request, plan }) });
      }
      session.say(
        `The install script of ${name} downloads from ${end.refused.join(', ')}, and a build may only go to package ` +
          `registries. Packages are installed again ${withoutScript(name, release)} set build_network to open, on a ` +
          'plan that includes it.',
      );
      leftOut.push(name);
    }
  }

  /** Copies packages to their directory, without those of the repository. Nothing is left when it fails. */
  async copyModules(session: BuildSession, directory: string, modules: Mount): Promise<boolean> {
    const { exitStatus } = await session.run({
      command: [
        '/usr/bin/sh',
        '-c',
        'rm -rf node_modules && mkdir node_modules && cp -a /cache/modules/node_modules/. node_modules && exit 0; ' +
          'rm -rf node_modules; exit 1',
      ],
      directory,
      mounts: [modules],
      output: 'text',
    });
    return exitStatus === 0;
  }
}

const withoutScript = (name: string, release: string | null): string =>
  release === null
    ? 'without it. If the project needs this package,'
    : `with ${name} ${release} in its place, which needs no download. To use another release, update ${name}, or`;
