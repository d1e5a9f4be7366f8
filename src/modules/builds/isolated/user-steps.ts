import { type Mount } from '../../../platform/isolation/isolation-spec.js';
import { type BuildObserver, type BuildRequest } from '../build-request.js';
import { type CommandVariables } from '../plan/missing-variable.js';
import { type BuildPlan } from '../plan/plan-types.js';
import { type BuildSession, type Step } from '../workspace/build-session.js';
import { type Toolchain } from '../workspace/toolchain.js';

const MEBIBYTE = 1024 * 1024;
/** Node cannot see its memory limit from inside of the sandbox, so its heap gets this share of the limit. */
const HEAP_SHARE = 0.75;

/** Package registries, and the hosts of fonts and programs that frameworks fetch during a build. */
export const REGISTRIES = [
  'registry.npmjs.org',
  'registry.npmjs.com',
  'registry.yarnpkg.com',
  'npm.jsr.io',
  'pypi.org',
  'files.pythonhosted.org',
  // Programs of Prisma, which its generator needs and the registry does not have.
  'binaries.prisma.sh',
  'fonts.googleapis.com',
  'fonts.gstatic.com',
];

/** Packages for tests would download browsers when they are installed, from hosts that builds cannot reach. */
const WITHOUT_DOWNLOADS = {
  CYPRESS_INSTALL_BINARY: '0',
  PUPPETEER_SKIP_DOWNLOAD: 'true',
  // The name of this before version 3.
  PUPPETEER_SKIP_CHROMIUM_DOWNLOAD: 'true',
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
  ELECTRON_SKIP_BINARY_DOWNLOAD: '1',
  CHROMEDRIVER_SKIP_DOWNLOAD: 'true',
  GECKODRIVER_SKIP_DOWNLOAD: '1',
};

export interface BuildContext {
  readonly session: BuildSession;
  readonly request: BuildRequest;
  readonly plan: BuildPlan;
  readonly observer: BuildObserver;
}

export interface ToolContext extends BuildContext {
  /** The mounts of the package manager. */
  readonly tools: readonly Mount[];
}

/** The steps of a build that run commands of the user. */
export class UserSteps {
  constructor(
    private readonly toolchain: Toolchain,
    /** Hosts that builds may also reach. */
    private readonly allowedHosts: readonly string[],
  ) {}

  /** Returns the step for a command of the user, with the user's environment. */
  async of(
    { session, request, plan, tools }: Pick<ToolContext, 'session' | 'request' | 'plan' | 'tools'>,
    { command, directory, environment }: { command: string; directory: string; environment: Record<string, string> },
  ): Promise<Step> {
    return {
      command: ['/usr/bin/sh', '-c', command],
      directory,
      mounts: [
        ...(await session.waitFor(this.nodeOf(session, plan))),
        ...(await this.toolchain.npmPackage()),
        ...this.toolchain.compilers(),
        ...tools,
        await this.toolchain.ownProgram('install_packages.py'),
        await this.toolchain.ownProgram('collect_static_files.py'),
      ],
      environment: {
        CI: '1',
        ...(request.settings.network === 'open' ? {} : WITHOUT_DOWNLOADS),
        NEXT_TELEMETRY_DISABLED: '1',
        EXPO_NO_TELEMETRY: '1',
        ASTRO_TELEMETRY_DISABLED: '1',
        // A build command may install the packages of a front end in a directory of its own, with NODE_ENV=production.
        npm_config_include: 'dev',
        npm_config_audit: 'false',
        npm_config_fund: 'false',
        npm_config_update_notifier: 'false',
        npm_config_progress: 'false',
        npm_config_fetch_retry_mintimeout: '1000',
        npm_config_fetch_retry_maxtimeout: '10000',
        npm_config_cache: '/home/build/.npm',
        NODE_OPTIONS: `--max-old-space-size=${Math.floor((request.limits.memoryBytes / MEBIBYTE) * HEAP_SHARE)}`,
        ...this.toolchain.headersOf(plan.nodeVersion),
        ...plan.environment,
        ...environment,
        ...request.environment,
      },
      egress: { hosts: REGISTRIES, trusted: this.allowedHosts, open: request.settings.network === 'open' },
      untrustedCode: true,
      output: 'log',
    };
  }

  private nodeOf(session: BuildSession, { nodeVersion }: BuildPlan): Promise<Mount[]> {
    return this.toolchain.node(nodeVersion ?? this.toolchain.nodeVersions[0]!, (text) => {
      session.say(text);
    });
  }
}

/** The variables that a command of the user has been given by the project or the plan. */
export const variablesOf = ({ request, plan }: Pick<ToolContext, 'request' | 'plan'>): CommandVariables => ({
  target: request.target,
  isSet: (name) => Object.hasOwn(request.environment, name) || Object.hasOwn(plan.environment, name),
});
