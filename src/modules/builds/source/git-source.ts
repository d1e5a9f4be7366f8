import { type EgressPolicy } from '../../../platform/egress/egress-policy.js';
import { isBranchName } from '../../../platform/git/branch-name.js';
import { type Mount } from '../../../platform/isolation/isolation-spec.js';
import { BuildFailed } from '../build-failed.js';
import { type BuildRequest, type BuildSource } from '../build-request.js';
import { SOURCE } from '../plan/plan-types.js';
import { type BuildSession } from '../workspace/build-session.js';
import { cleanText } from '../workspace/clean-text.js';
import { type Toolchain } from '../workspace/toolchain.js';
import { SourceProgram } from './source-program.js';

const SHA = /^[0-9a-f]{40}$/;
const LOCAL_PLACE = '/repository.git';
/** The cache of the framework, as it is mounted, and a copy that can be moved within the source's file system. */
export const FRAMEWORK_CACHE = '/cache/framework';
export const FRAMEWORK_COPY = '/work/restored';

/**
 * Starts the program that reads the source together with git, so that it is ready when git ends. Git itself reports the
 * commit, before the program has started, and the program then reports everything else. Credentials arrive on standard
 * input and are deleted before the files are checked out. The plan for `source.cjs` arrives there, too.
 *
 * The cache of the framework is copied meanwhile, and the program waits for that because the copy holds its input open.
 * Caches in /tmp could not be moved there from /work, so they are not copied twice.
 */
const withSource = (git: string): string => `exec 3<&0 4>&1 </dev/null
IFS= read -r username <&3 && IFS= read -r password <&3 || exit 1
[ -z "$username" ] || printf '%s\\n' "$username" "$password" > /tmp/credential
(
  set -e
  [ ! -d ${FRAMEWORK_CACHE} ] || [ -d ${FRAMEWORK_CACHE}/tmp ] ||
    { cp -a ${FRAMEWORK_CACHE} ${FRAMEWORK_COPY} || rm -rf ${FRAMEWORK_COPY}; } 2>/dev/null 4>&- &
${git}
  echo done
) 3<&- | exec /opt/node/bin/node /opt/inside/source.cjs ${SOURCE} "$4" 4>&-`;

const LOG = 'git log -1 --no-show-signature --format=%H%n%an%n%s';
/** Standard output of the sandbox; that of git's part leads to `source.cjs`. */
const TO_HOST = `>&4
  exec 4>&-`;

/**
 * The parameters are `$1` the address, `$2` the ref to fetch, `$3` the branch to fetch if the server refuses a commit
 * by its hash (the commit must then be the head of the branch), and `$4` the root directory.
 */
const FETCH = withSource(`  git init -q ${SOURCE}
  cd ${SOURCE}
  git fetch -q --depth 1 --no-tags --no-recurse-submodules -- "$1" "$2" 2>/tmp/why ||
    { [ -n "$3" ] && git fetch -q --depth 1 --no-tags --no-recurse-submodules -- "$1" "refs/heads/$3" &&
      [ "$(git rev-parse FETCH_HEAD)" = "$2" ]; } ||
    { cat /tmp/why >&2; exit 1; }
  rm -f /tmp/credential /tmp/why
  ${LOG} FETCH_HEAD -- ${TO_HOST}
  git checkout -q --detach --no-recurse-submodules FETCH_HEAD --`);

/**
 * Checks out a repository of this machine without fetching it first, which starts half a dozen programs. Git finds the
 * objects where they are mounted, but follows no configuration of that repository, which could name programs; only a
 * ref is looked up there, which runs none. What is checked out has a repository of the least that git accepts, without
 * the objects. A build gets them later, see {@link Preparation.repository}.
 */
const CHECK_OUT = withSource(`  commit=$(git --git-dir=${LOCAL_PLACE} rev-parse --verify -q "$2^{commit}") ||
    { echo "couldn't find remote ref $2" >&2; exit 1; }
  export GIT_ALTERNATE_OBJECT_DIRECTORIES=${LOCAL_PLACE}/objects
  mkdir -p ${SOURCE}/.git/objects ${SOURCE}/.git/refs
  echo 'ref: refs/heads/main' > ${SOURCE}/.git/HEAD
  cd ${SOURCE}
  ${LOG} "$commit" -- ${TO_HOST}
  git read-tree --reset -u --no-recurse-submodules "$commit"`);

export interface GitSourceOptions {
  readonly toolchain: Toolchain;
  /** The hosts of the setting `GIT_ALLOWED_HOSTS`. */
  readonly allowedHosts: readonly string[];
}

/** Fetches source by git, which runs in isolation because a repository is hostile input. */
export class GitSource {
  constructor(private readonly options: GitSourceOptions) {}

  /**
   * Starts to fetch into `/work/source`. `cache` is that of the framework.
   *
   * @throws {BuildFailed} `repository_unreachable`, `ref_not_found`, and those of
   * `BuildSession.start`.
   */
  async start(
    session: BuildSession,
    { source, branch, settings }: BuildRequest,
    cache: Mount | null,
  ): Promise<SourceProgram> {
    const isCommit = SHA.test(source.ref);
    const [what, instead] = isCommit
      ? [source.ref, SHA.test(branch) ? '' : checkedBranch(branch)]
      : [`refs/heads/${checkedBranch(source.ref)}`, ''];
    const place = source.localRepository === null ? this.foreign(source.repoUrl) : local(source.localRepository);
    const { toolchain } = this.options;
    const said: string[] = [];
    const program = await session.start(
      {
        command: [
          '/usr/bin/sh',
          '-c',
          place.isLocal ? CHECK_OUT : FETCH,
          'sh',
          place.url,
          what,
          instead,
          settings.rootDirectory ?? '',
        ],
        mounts: [
          ...place.mounts,
          ...(cache === null ? [] : [cache]),
          ...(await toolchain.ownNode()),
          ...(await Promise.all(
            ['source.cjs', 'inspect.cjs', 'python.cjs', 'pack.cjs'].map((name) => toolchain.ownProgram(name)),
          )),
        ],
        stdin: credentialOf(source),
        sendsMore: true,
        environment: {
          GIT_CONFIG_NOSYSTEM: '1',
          GIT_CONFIG_GLOBAL: '/opt/tools/gitconfig',
          GIT_TERMINAL_PROMPT: '0',
          GIT_ASKPASS: '/usr/bin/false',
          GIT_LFS_SKIP_SMUDGE: '1',
          GIT_ALLOW_PROTOCOL: place.protocol,
        },
        ...(place.egress === undefined ? {} : { egress: place.egress }),
      },
      (text) => {
        said.push(text);
      },
    );
    return new SourceProgram({
      session,
      program,
      fault: () => faultOf(said, source),
      repository: place.isLocal ? place.url : null,
    });
  }

  private foreign(repoUrl: string): Place {
    const url = URL.canParse(repoUrl) ? new URL(repoUrl) : null;
    const isHttps = url?.protocol === 'https:';
    if (url === null || (!isHttps && url.protocol !== 'http:') || url.username !== '' || url.password !== '') {
      throw new BuildFailed('repository_unreachable', 'The address of the repository is not https://<host>/<path>.');
    }
    const port = url.port === '' ? (isHttps ? 443 : 80) : Number(url.port);
    const named = this.options.allowedHosts.filter(
      (host) => host === `${url.hostname}:${port}` || (host === url.hostname && url.port === ''),
    );
    if (named.length === 0 && !isHttps)
      throw new BuildFailed('repository_unreachable', 'The address of the repository is not https://<host>/<path>.');
    const egress: EgressPolicy =
      named.length === 0 ? { hosts: [url.hostname], trusted: [] } : { hosts: [], trusted: [`${url.hostname}:${port}`] };
    return { url: url.href, isLocal: false, mounts: [], egress, protocol: isHttps ? 'https' : 'http' };
  }
}

interface Place {
  readonly url: string;
  readonly isLocal: boolean;
  readonly mounts: readonly Mount[];
  readonly egress?: EgressPolicy;
  readonly protocol: string;
}

function local(path: string): Place {
  return { url: `file://${LOCAL_PLACE}`, isLocal: true, mounts: [{ from: path, to: LOCAL_PLACE }], protocol: 'file' };
}

/** Branch names are validated on input. This second check ensures that git reads the name as nothing else. */
function checkedBranch(name: string): string {
  if (!isBranchName(name)) {
    throw new BuildFailed('ref_not_found', 'The branch is not a valid git branch name.');
  }
  return name;
}

/** Returns the credentials in the format of git's helpers, in which a line break would begin another field. */
function credentialOf({ credentials }: BuildSource): Buffer {
  if (credentials === undefined) return Buffer.from('\n\n');
  const { username, password } = credentials;
  if (/[\r\n\0]/.test(username + password))
    throw new BuildFailed('repository_unreachable', 'The credentials of the repository contain a line break.');
  return Buffer.from(`username=${username}\npassword=${password}\n`);
}

function faultOf(lines: readonly string[], { ref }: BuildSource): BuildFailed {
  if (/couldn't find remote ref|not our ref|unadvertised object/i.test(lines.join('\n')))
    return new BuildFailed('ref_not_found', `The repository has no ${SHA.test(ref) ? 'commit' : 'branch'} ${ref}.`);
  const said = cleanText(
    lines
      .filter((line) => line !== '')
      .slice(-3)
      .join(' '),
  ).slice(0, 500);
  return new BuildFailed('repository_unreachable', `The repository could not be fetched. git said: ${said}`);
}
