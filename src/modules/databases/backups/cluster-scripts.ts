/**
 * Programs of the shell that run inside of an isolation, on the files of a cluster in `/cluster`. What they print is
 * checked by the host, because a tenant who breaks out of PostgreSQL could have changed those files.
 */

/** The most segments that one run hands over. */
const SEGMENTS_AT_ONCE = 64;

/** What a copy of a running cluster leaves out: PostgreSQL makes all of it again. */
const LEFT_OUT = [
  './postmaster.pid',
  './postmaster.opts',
  './pg_wal/*',
  './pg_replslot/*',
  './pg_dynshmem/*',
  './pg_notify/*',
  './pg_serial/*',
  './pg_snapshots/*',
  './pg_stat_tmp/*',
  './pg_subtrans/*',
  'pgsql_tmp*',
];

const LEFT_OUT_OPTIONS = LEFT_OUT.map((pattern) => `--exclude='${pattern}'`).join(' ');

/** Removes the segments that are its arguments, and writes the next ones; see `readFrames`. */
export const WAL_OUT = `
set -eu
cd /cluster/archive
[ $# -eq 0 ] || rm -f -- "$@"
rm -f -- *.history *.backup *.partial
kib() { du -sk "$1" 2> /dev/null | cut -f 1; }
printf 'disk %s %s\\n' "$(kib /cluster)" "$(kib /cluster/archive)"
count=0
for name in [0-9A-F]*; do
  # PostgreSQL may have put a label here since they were removed.
  case $name in *.*) continue ;; esac
  [ -f "$name" ] || continue
  printf '%s\\n' "$name"
  cat -- "$name"
  count=$((count + 1))
  [ $count -lt ${SEGMENTS_AT_ONCE} ] || break
done
waiting=0
for ready in ../data/pg_wal/archive_status/*.ready; do
  [ ! -e "$ready" ] || waiting=$((waiting + 1))
done
printf 'end %s\\n' "$waiting"
`;

/** Writes the files of a cluster between the start and the end of a backup. Files that change meanwhile are fine. */
export const BASE_OUT = `
set -u
cd /cluster/data
{ tar -cf - --warning=no-file-changed --warning=no-file-removed --warning=no-file-ignored ${LEFT_OUT_OPTIONS} .
  echo $? > /tmp/status; } | gzip -1
[ "$(cat /tmp/status)" -le 1 ]
`;

/** Replaces the files of a cluster with what {@link BASE_OUT} and `tarOf` have written. */
export const RESTORE_IN = `
set -eu
mkdir -p /cluster/data /cluster/archive
cd /cluster/data
find . ../archive -mindepth 1 -delete
gzip -dc | tar -xf - --ignore-zeros --no-same-owner --no-overwrite-dir
mkdir -p pg_wal/archive_status pg_wal/summaries
: > recovery.signal
chmod 700 .
sync -f .
`;

/** The status of {@link RECOVER} when the log ends before the moment: everything in it was before. */
export const LOG_ENDED_BEFORE = 4;

/**
 * Runs a server, whose command line is its arguments, until it has recovered and accepts writes, and stops it. The
 * server removes `recovery.signal` when it has.
 */
export const RECOVER = `
set -u
cd /cluster/data
rm -f postmaster.pid
"$@" > /tmp/log 2>&1 &
server=$!
while kill -0 $server 2> /dev/null; do
  if [ ! -e recovery.signal ] && grep -q ready postmaster.pid 2> /dev/null; then
    kill -INT $server
    wait $server
    exit 0
  fi
  sleep 0.02
done
grep -q 'recovery ended before configured recovery target was reached' /tmp/log && exit ${LOG_ENDED_BEFORE}
tail -n 20 /tmp/log >&2
exit 1
`;

/** Copies a running cluster, in `/parent`, during a backup. Its log follows with {@link COPY_LOG}. */
export const COPY_RUNNING = `
set -u
mkdir -p /cluster/data /cluster/archive && cd /cluster/data && find . ../archive -mindepth 1 -delete || exit 1
{ cd /parent/data
  tar -cf - --warning=no-file-changed --warning=no-file-removed --warning=no-file-ignored ${LEFT_OUT_OPTIONS} .
  echo $? > /tmp/status; } | tar -xf - --no-same-owner || exit 1
[ "$(cat /tmp/status)" -le 1 ]
`;

/**
 * Copies the log of the cluster in `/parent`; standard input is its `backup_label`. Each segment since the beginning
 * of the backup is in one of the two places, or was in the first and is in the second.
 */
export const COPY_LOG = `
set -eu
cd /cluster/data
cat > backup_label
mkdir -p pg_wal/archive_status pg_wal/summaries
for name in /parent/data/pg_wal/[0-9A-F]* /parent/archive/[0-9A-F]*; do
  [ ! -f "$name" ] || cp -a --reflink=auto "$name" pg_wal/ || [ ! -e "$name" ]
done
chmod 700 .
sync -f .
`;
