import { type EgressPolicy } from '../../../platform/egress/egress-policy.js';
import { type Mount } from '../../../platform/isolation/isolation-spec.js';
import { BuildFailed } from '../build-failed.js';
import { type BuildSource } from '../build-request.js';
import { type ResolvedCommit } from '../builds.service.js';
import { type BuildSession, type Step, type StepEnd } from '../workspace/build-session.js';
import { cleanText } from '../workspace/clean-text.js';
import { type Toolchain } from '../workspace/toolchain.js';

const SHA = /^[0-9a-f]{40}$/;
const LOCAL_PLACE = '/repository.git';
const LONGEST_MESSAGE = 200;

/** `$1` the address, `$2` what to fetch. Credentials come by standard input and stay in memory, in a file of the sandbox. */
const BEGIN = `set -e
cat > /tmp/credential
git init -q --bare /work/peek
git -C /work/peek fetch -q --depth 1 --no-tags --no-recurse-submodules --filter=tree:0 -- "$1" "$2"
rm -f /tmp/credential
exec git -C /work/peek log -1 --no-show-signature --format=%H%n%an%n%s FETCH_HEAD --`;

/** `$3` the branch, should the server not give out a commit by its hash; the commit must then be the branch's last. */
const FETCH = `set -e
cat > /tmp/credential
git init -q /work/source
cd /work/source
git fetch -q --depth 1 --no-tags --no-recurse-submodules -- "$1" "$2" 2>/tmp/why ||
  { [ -n "$3" ] && git fetch -q --depth 1 --no-tags --no-recurse-submodules -- "$1" "refs/heads/$3" && [ "$(git rev-parse FETCH_HEAD)" = "$2" ]; } ||
  { cat /tmp/why >&2; exit 1; }
rm -f /tmp/credential
exec git checkout -q --detach --no-recurse-submodules FETCH_HEAD --`;

export interface GitSourceOptions {
  readonly toolchain: Toolchain;
  /** Hosts that the operator has named, by `GIT_ALLOWED_HOSTS`. */
  readonly allowedHosts: readonly string[];
}

/** Gets source by git, which runs in isolation: what it reads is hostile input as well. */
export class GitSource {
  constructor(private readonly options: GitSourceOptions) {}

  /** @throws {BuildFailed} `repository_unreachable`, `ref_not_found` and as `BuildSession.run`. */
  async resolve(session: BuildSession, source: BuildSource): Promise<ResolvedCommit> {
    const ref = SHA.test(source.ref) ? source.ref : `refs/heads/${checkedBranch(source.ref)}`;
    const end = await this.git(session, source, [BEGIN, ref]);
    if (end.exitStatus !== 0) throw faultOf(end, source);
    const [sha = '', author = '', message = ''] = end.stdout.split('\n');
    if (!SHA.test(sha)) throw new BuildFailed('repository_unreachable', 'The repository answered with something that is no commit.');
    return { sha, author: cleanText(author).slice(0, LONGEST_MESSAGE), message: cleanText(message).slice(0, LONGEST_MESSAGE) };
  }

  /** Puts the files of a commit into `/work/source`. @throws as {@link resolve}. */
  async fetch(session: BuildSession, source: BuildSource, commit: { sha: string; branch: string }): Promise<void> {
    if (!SHA.test(commit.sha)) throw new BuildFailed('ref_not_found', 'What is to be built is no commit.');
    const end = await this.git(session, source, [FETCH, commit.sha, SHA.test(commit.branch) ? '' : checkedBranch(commit.branch)]);
    if (end.exitStatus !== 0) throw faultOf(end, source);
  }

  private async git(session: BuildSession, source: BuildSource, [script, ...args]: readonly [string, ...string[]]): Promise<StepEnd> {
    const place = source.localRepository === null ? this.foreign(source.repoUrl) : local(source.localRepository);
    const step: Step = {
      command: ['/usr/bin/sh', '-c', script, 'sh', place.url, ...args],
      mounts: [...place.mounts, ...(place.egress === undefined ? [] : await this.options.toolchain.ownNode())],
      stdin: credentialOf(source),
      environment: {
        GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/opt/tools/gitconfig', GIT_TERMINAL_PROMPT: '0', GIT_ASKPASS: '/usr/bin/false', GIT_LFS_SKIP_SMUDGE: '1',
        GIT_ALLOW_PROTOCOL: place.protocol,
      },
      output: 'text',
      ...(place.egress === undefined ? {} : { egress: place.egress }),
    };
    return session.run(step);
  }

  private foreign(repoUrl: string): Place {
    const url = URL.canParse(repoUrl) ? new URL(repoUrl) : null;
    const isHttps = url?.protocol === 'https:';
    if (url === null || (!isHttps && url.protocol !== 'http:') || url.username !== '' || url.password !== '') {
      throw new BuildFailed('repository_unreachable', 'The address of the repository is not https://<host>/<path>.');
    }
    const port = url.port === '' ? (isHttps ? 443 : 80) : Number(url.port);
    const named = this.options.allowedHosts.filter((host) => host === `${url.hostname}:${port}` || (host === url.hostname && url.port === ''));
    if (named.length === 0 && !isHttps) throw new BuildFailed('repository_unreachable', 'The address of the repository is not https://<host>/<path>.');
    const egress: EgressPolicy = named.length === 0 ? { hosts: [url.hostname], trusted: [] } : { hosts: [], trusted: [`${url.hostname}:${port}`] };
    return { url: url.href, mounts: [], egress, protocol: isHttps ? 'https' : 'http' };
  }
}

interface Place {
  readonly url: string;
  readonly mounts: readonly Mount[];
  readonly egress?: EgressPolicy;
  readonly protocol: string;
}

function local(path: string): Place {
  return { url: `file://${LOCAL_PLACE}`, mounts: [{ from: path, to: LOCAL_PLACE }], protocol: 'file' };
}

/** The name of a branch is checked where it is taken in; here it must not be able to be anything else for git. */
function checkedBranch(name: string): string {
  if (name === '' || name.startsWith('-') || name.length > 255 || /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{/.test(name)) {
    throw new BuildFailed('ref_not_found', 'That is no name of a branch.');
  }
  return name;
}

/** As git's helpers say it; a line break would be another field. */
function credentialOf({ credentials }: BuildSource): Buffer {
  if (credentials === undefined) return Buffer.alloc(0);
  const { username, password } = credentials;
  if (/[\r\n\0]/.test(username + password)) throw new BuildFailed('repository_unreachable', 'The credentials of the repository hold a line break.');
  return Buffer.from(`username=${username}\npassword=${password}\n`);
}

function faultOf({ stderr }: StepEnd, { ref }: BuildSource): BuildFailed {
  if (/couldn't find remote ref|not our ref|unadvertised object/i.test(stderr)) return new BuildFailed('ref_not_found', `The repository has no ${SHA.test(ref) ? 'commit' : 'branch'} ${ref}.`);
  const said = cleanText(stderr.split('\n').filter((line) => line !== '').slice(-3).join(' ')).slice(0, 500);
  return new BuildFailed('repository_unreachable', `The repository could not be fetched. git said: ${said}`);
}
