import { BuildFailed } from '../build-failed.js';
import { type CommandVariables, missingVariable } from './missing-variable.js';
import { moreAt } from './more-at.js';
import { packageManagerConflict } from './package-manager-conflict.js';

/** What is known about an install command that failed. The lines come from the command and are not trusted. */
export interface InstallEnd {
  readonly command: string;
  readonly exitStatus: number | null;
  /** The last lines of its output. */
  readonly lastLines: readonly string[];
  /** Hosts that the network of the build did not let it reach, such as `github.com:443`. */
  readonly refused: readonly string[];
  /** Hosts that did not answer. */
  readonly unreachable: readonly string[];
  /** Hosts whose names lead to addresses that are not public, where a build may not go. */
  readonly internal: readonly string[];
  readonly variables: CommandVariables;
}

type Reason = (end: InstallEnd) => string | null;

const STALE_LOCKS: readonly (readonly [said: RegExp, file: string, command: string])[] = [
  // The list of what differs may be longer than what is kept of the output. The help of `npm ci` stands after it.
  [
    /npm (?:error|ERR!) (?:code EUSAGE|aliases: clean-install\b)|npm ci. can only install packages when/,
    'package-lock.json',
    'npm install',
  ],
  [/ERR_PNPM_(?:OUTDATED_LOCKFILE|LOCKFILE_CONFIG_MISMATCH|FROZEN_LOCKFILE)/, 'pnpm-lock.yaml', 'pnpm install'],
  [/YN0028|Your lockfile needs to be updated/, 'yarn.lock', 'yarn install'],
  [/lockfile had changes, but lockfile is frozen/, 'bun.lock', 'bun install'],
];

/** What is printed where a part of the tools for native code is not installed. */
const TOOLS: readonly (readonly [said: RegExp, tool: string])[] = [
  [/gyp ERR! find Python|Could not find any Python installation/, 'Python'],
  [/not found: make\b|\bmake: (?:command )?not found/, 'make'],
  [/\b(?:g\+\+|c\+\+): (?:command not found|not found|No such file or directory)/, 'g++'],
];

/** The address of a package in a registry. */
const OF_A_REGISTRY = /https:\/\/([\w.-]{1,253})\/\S{1,300}\/-\/[^/\s]{1,200}\.tgz/;

/** Packages that are often used and download a program, with what takes their place. */
const DOWNLOADS: readonly { readonly printed: RegExp; readonly name: string; readonly instead: string }[] = [
  { printed: /\bsharp: Downloading\b/, name: 'sharp', instead: 'sharp 0.33 or later' },
  { printed: /\/node_modules\/node-sass\b/, name: 'node-sass', instead: 'sass in its place' },
];

/** What pip prints when an index has no release that fits, also because of the version of Python. */
const NO_RELEASE = /ERROR: No matching distribution found for ([\w.[\],<>=!~*-]{1,200})/;

/** Turborepo finds no workspaces without it. */
const NEEDS_PACKAGE_MANAGER = /Missing `(?:devEngines\.packageManager` or legacy `)?packageManager` field/;

/** What package managers print when the registry is there and fails. */
const REGISTRY_FAILED = new RegExp(
  [
    'npm (?:error|ERR!) code E(5\\d\\d)',
    'ERR_PNPM_FETCH_(5\\d\\d)',
    'Response Code: (5\\d\\d)',
    'Request failed "(5\\d\\d)',
    'HTTP error (5\\d\\d)',
  ].join('|'),
);

/** What package managers print when the registry answers that it has no such package, with the address of it. */
const NOT_IN_REGISTRY = new RegExp(
  [
    'npm (?:error|ERR!) 404 Not Found - GET (https?://[^\\s"]{1,300})',
    'ERR_PNPM_FETCH_404\\s+GET (https?://[^\\s"]{1,300}): Not Found',
    '(https?://[^\\s"]{1,300}): Not found"',
  ].join('|'),
);

const said = ({ lastLines }: InstallEnd, what: RegExp): RegExpExecArray | null => {
  for (const line of lastLines) {
    const found = what.exec(line);
    if (found !== null) return found;
  }
  return null;
};

/** The first reason that fits is the one that the user reads, so that the most certain ones come first. */
const REASONS: readonly Reason[] = [
  packageManagerConflict,
  (end) => {
    const stale = STALE_LOCKS.find(([pattern]) => said(end, pattern) !== null);
    if (stale === undefined) return null;
    const [, file, command] = stale;
    return `${file} does not match package.json. Run ${command} on your machine, and commit ${file}.`;
  },
  (end) =>
    said(end, /EINTEGRITY|ERR_PNPM_TARBALL_INTEGRITY|YN0018|Integrity check failed/) === null
      ? null
      : 'a package from the registry has another hash than the lock file says. Delete the lock file, install again ' +
        'on your machine, and commit it.',
  (end) =>
    said(end, /npm (?:error|ERR!) (?:code )?ERESOLVE/) === null
      ? null
      : 'two packages ask for versions of a third one that exclude each other; the log names them. Correct the ' +
        'versions in package.json, or add the line legacy-peer-deps=true to .npmrc.',
  ({ lastLines, variables }) => missingVariable(lastLines, variables),
  ({ internal }) =>
    internal.length === 0
      ? null
      : `${namesOf(internal)} ${internal.length === 1 ? 'leads' : 'lead'} to an address that is not public, and ` +
        'expected is a registry on the internet. If it is a mirror or a registry of your network, ask the operator ' +
        'to add it to BUILD_ALLOWED_HOSTS.',
  (end) => {
    const address = said(end, NOT_IN_REGISTRY)
      ?.slice(1)
      .find((found: string | undefined) => found !== undefined);
    if (address === undefined || !URL.canParse(address)) return null;
    const { hostname, pathname } = new URL(address);
    // What did not answer has not said that it lacks something.
    if (end.unreachable.some((host) => host.startsWith(`${hostname}:`))) return null;
    return (
      `${hostname} has no package ${decoded(pathname.slice(1))}. Correct its name in package.json, or publish it. If ` +
      'it is a private package, set the variable with the token that .npmrc names, for this target.'
    );
  },
  (end) => {
    if (end.unreachable.length === 0) return null;
    const isOne = end.unreachable.length === 1;
    return (
      `${namesOf(end.unreachable)} could not be reached. Deploy again in a few minutes. ` +
      `If ${isOne ? 'it is a' : 'they are'} registry of your own, check its address in ${registrySettingOf(end)}.`
    );
  },
  (end) => {
    if (end.refused.length === 0) return null;
    const registry = said(end, OF_A_REGISTRY)?.[1] ?? null;
    if (registry !== null && end.refused.includes(`${registry}:443`))
      return (
        `the lock file takes packages from ${registry}, and a build may only go to the usual registries. Replace ` +
        'that address in the lock file by registry.npmjs.org, or set build_network to open, on a plan that includes it.'
      );
    const known = DOWNLOADS.find(({ printed }) => said(end, printed) !== null);
    return (
      `${known?.name ?? 'a package'} downloads from ${namesOf(end.refused)}, and a build may only go to package ` +
      `registries. Use ${known === undefined ? 'a package that' : `${known.instead}, which`} needs no download, or ` +
      'set build_network to open, on a plan that includes it.'
    );
  },
  (end) => {
    const missing = TOOLS.find(([pattern]) => said(end, pattern) !== null);
    return missing === undefined
      ? null
      : `a package with native code needs ${missing[1]}, which was not found on this machine. Use a release of it ` +
          'with a program for this Node version, or ask the operator to install python3, make and g++.';
  },
  (end) =>
    said(end, /gyp ERR!|node-gyp/) === null
      ? null
      : 'a package with native code could not be compiled; the log shows why. Use a release of it with a program for ' +
        'this Node version, or set build_network to open, on a plan that includes it.',
  (end) => {
    const status = said(end, REGISTRY_FAILED)
      ?.slice(1)
      .find((digits: string | undefined) => digits !== undefined);
    return status === undefined
      ? null
      : `the registry answered with its own error ${status}, and expected was a package. Deploy again in a few ` +
          `minutes. If it is a registry of your own, check its address in ${registrySettingOf(end)}.`;
  },
  (end) =>
    said(end, /npm (?:error|ERR!) code E(?:NEEDAUTH|401|403)|ERR_PNPM_FETCH_40[13]|YN0041/) === null
      ? null
      : 'the registry refused a package. Set the variable with the token that .npmrc names, for this target.',
  (end) =>
    said(end, /npm (?:error|ERR!) code E(?:404|TARGET)|ERR_PNPM_(?:FETCH_404|NO_MATCHING_VERSION)|YN0035/) === null
      ? null
      : 'the registry does not have a package in the version that is asked for; the log names it. Change the version ' +
        'in package.json, or publish it.',
  (end) => {
    const wanted = said(end, NO_RELEASE)?.[1];
    return wanted === undefined
      ? null
      : `the package index has no release of ${wanted} for the Python of this machine; the log names those that it ` +
          'has. Change the version that the project asks for, or set the framework to docker, with a Dockerfile that ' +
          'brings its own Python.';
  },
];

/** The slash of a scoped package is encoded in its address. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Where a project says which registry it installs from. */
const registrySettingOf = ({ command }: InstallEnd): string =>
  command.startsWith('install-python-packages ') ? 'the variable PIP_INDEX_URL' : '.npmrc';

/** Explains why packages could not be installed, and what to change. */
export function installFailure(end: InstallEnd): BuildFailed {
  for (const reason of REASONS) {
    const text = reason(end);
    if (text !== null) return new BuildFailed('install_failed', sentenceOf(text));
  }
  return new BuildFailed(
    'install_failed',
    `Installing packages failed: ${end.command} exited with ${end.exitStatus ?? 'a signal'}. The log shows why.` +
      moreAt('packages'),
  );
}

const sentenceOf = (text: string): string =>
  `Installing packages failed: ${text}${text.includes(' See /docs/') ? '' : moreAt('packages')}`;

/**
 * Names the variables that the build command missed, or else the hosts that it may have failed for and the setting that
 * allows them.
 */
export function buildFailure({
  command,
  exitStatus,
  lastLines,
  refused,
  unreachable,
  internal,
  variables,
}: InstallEnd): BuildFailed {
  const missing = missingVariable(lastLines, variables);
  if (missing !== null) return new BuildFailed('build_failed', `The build failed: ${missing}`);
  if (lastLines.some((line) => NEEDS_PACKAGE_MANAGER.test(line)))
    return new BuildFailed(
      'build_failed',
      'The build failed: Turborepo needs the package manager in package.json. Add "packageManager", such as ' +
        '"packageManager": "npm@11.0.0", and commit it.',
    );
  const text = `The build failed: ${command} exited with ${exitStatus ?? 'a signal'}.`;
  const lost = [...unreachable, ...internal];
  if (refused.length === 0 && lost.length > 0)
    return new BuildFailed(
      'build_failed',
      `${text} It could not reach ${namesOf(lost)}. Deploy again in a few minutes. If that does not help, ask the ` +
        `operator whether the network of this machine leads there.${moreAt('network')}`,
    );
  if (refused.length === 0) return new BuildFailed('build_failed', text);
  return new BuildFailed(
    'build_failed',
    `${text} It was refused ${namesOf(refused)}, because a build may only go to package registries. ` +
      'If it needs that, ' +
      `set build_network to open, on a plan that includes it.${moreAt('network')}`,
  );
}

const namesOf = (hosts: readonly string[]): string =>
  hosts.length <= 3 ? hosts.join(', ') : `${hosts.slice(0, 3).join(', ')} and ${hosts.length - 3} more`;
