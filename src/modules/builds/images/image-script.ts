import { missingForImages } from '../image-builder.js';

/** The directory of the finished image inside of the sandbox: its root, and what the builder reports about it. */
export const IMAGE = '/work/image';

/**
 * What a command of a Dockerfile may do as root in the user namespace of the build. It cannot mount, and the filter of
 * the sandbox refuses further namespaces.
 */
const CAPABILITIES = [
  ...['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_FSETID', 'CAP_KILL', 'CAP_SETFCAP', 'CAP_SETGID'],
  ...['CAP_SETUID', 'CAP_SYS_CHROOT'],
].join(',');

/** A file of ours for the commands of a Dockerfile. What an image has in `/run` is not collected. */
const APT_CONFIG = '/run/apt.conf';

/**
 * Adds arguments after each `FROM`: commands see them as variables, and the image does not keep them. A line that
 * continues another one is no instruction. Node does not use the proxy without its variable.
 */
const WITH_ARGUMENTS = [
  '{ print }',
  'goesOn && /^[ \\t]*#/ { next }',
  '!goesOn { isFrom = toupper($1) == "FROM" }',
  '{ goesOn = /\\\\[ \\t]*$/ }',
  `isFrom && !goesOn { print "ARG APT_CONFIG=${APT_CONFIG}"; print "ARG NODE_USE_ENV_PROXY=1"; isFrom = 0 }`,
].join('\n');

/**
 * The parameters are `$1` the directory of the Dockerfile, and then the names of build arguments, whose values are
 * variables. Layers are mounted over each other where the kernel allows that, and copied otherwise. At the end every
 * file is readable for its owner, because the program that collects them has no capabilities.
 */
const SCRIPT = `set -e
context=$1
shift
mkdir -p ${IMAGE} /tmp/run
buildah info >/dev/null 2>&1 || export STORAGE_DRIVER=vfs
for name; do
  set -- "$@" --build-arg "$name"
  shift
done
awk '${WITH_ARGUMENTS}' "$context/Dockerfile" >/tmp/Dockerfile
buildah build --isolation chroot --network host --security-opt seccomp=unconfined \\
  --cap-drop all --cap-add ${CAPABILITIES} --format oci --iidfile /tmp/image-id \\
  --volume /etc/containers/apt.conf:${APT_CONFIG}:ro --output type=local,dest=${IMAGE}/root \\
  --file /tmp/Dockerfile "$@" "$context"
buildah inspect --type image "$(cat /tmp/image-id)" >${IMAGE}/inspect.json
chmod -R u+rwX ${IMAGE}/root`;

export const imageCommand = (context: string, args: readonly string[]): readonly string[] => [
  '/usr/bin/sh',
  '-c',
  SCRIPT,
  'sh',
  context,
  ...args,
];

/** The builder reads these variables itself, so a build argument of the same name is not passed. */
const OF_BUILDER = new RegExp(
  [
    '^(?:_|LD_|GLIBC_|BUILDAH_|CONTAINERS_|STORAGE_|XDG_|SSL_CERT_)',
    '^GO(?:DEBUG|GC|MAXPROCS|MEMLIMIT|TRACEBACK)$',
    '^(?:DOCKER_CONFIG|REGISTRY_AUTH_FILE|PATH|HOME|TMPDIR|USER|IFS|ENV)$',
    '_proxy$',
  ].join('|'),
  'i',
);

export const isOfBuilder = (name: string): boolean => OF_BUILDER.test(name);

/** The registries that base images come from. */
export interface ImageRegistries {
  /** Hosts that the builder may connect to. */
  readonly hosts: readonly string[];
  /** The operator's mirror of Docker Hub, such as `mirror.internal:5000`. */
  readonly mirror: string | null;
  /** Hosts of the operator, which may answer by plain HTTP. */
  readonly trusted: readonly string[];
}

/** The configuration of the builder, by file names. Hosts have been checked to need no quotes. */
export function configurationOf({ mirror, trusted }: ImageRegistries): Readonly<Record<string, string>> {
  const insecure = [...new Set([...trusted, ...(mirror === null ? [] : [mirror])])];
  return {
    'policy.json': '{"default":[{"type":"insecureAcceptAnything"}]}\n',
    'registries.conf': [
      'unqualified-search-registries = ["docker.io"]',
      'short-name-mode = "disabled"',
      ...insecure.flatMap((host) => ['[[registry]]', `location = "${host}"`, 'insecure = true']),
      ...(mirror === null
        ? []
        : [
            '[[registry]]',
            'location = "docker.io"',
            '[[registry.mirror]]',
            `location = "${mirror}"`,
            'insecure = true',
          ]),
      '',
    ].join('\n'),
    'storage.conf': [
      '[storage]',
      'driver = "overlay"',
      'graphroot = "/work/containers"',
      'runroot = "/tmp/run/containers"',
      '',
    ].join('\n'),
    'containers.conf': '',
    // It would change its user, and refuses to work when it finds that it has not.
    'apt.conf': 'APT::Sandbox::User "root";\n',
  };
}

/** Returns what this machine lacks. Memory files of the builder are counted by cgroups only. */
export const missingFor = (isolationMode: string): string[] => [
  ...missingForImages(),
  ...(isolationMode === 'rlimits' ? ['cgroups that the service can use'] : []),
];
