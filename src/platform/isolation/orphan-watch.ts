import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/** Remembers the groups it is told of until its input ends, which is when we have ended; then it kills what is left. */
const SCRIPT = `
trap '' HUP INT TERM
groups=' '
while read -r what group; do
  case $what in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="\${groups%%" $group "*} \${groups#*" $group "}" ;; esac ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
`;

/**
 * Ends sandboxes whose service was killed while they were starting. bubblewrap dies with its parent, but between making
 * the namespaces and entering them its inner process waits for the outer one without such a bond, and would wait for
 * ever. Only somebody who outlives us can see to that: one small shell for all sandboxes.
 */
export class OrphanWatch {
  private readonly groups = new Set<number>();
  private shell: ChildProcess | null = null;

  /** @param group the process group of a sandbox that has just been started. */
  add(group: number): void {
    this.groups.add(group);
    if (this.shell === null) this.startShell();
    else this.tell(`+ ${group}`);
  }

  /** The group is empty; its number may soon be somebody else's. */
  remove(group: number): void {
    if (this.groups.delete(group)) this.tell(`- ${group}`);
  }

  /** Ends the watch; call it when no sandbox is left. */
  close(): void {
    this.shell?.stdin?.end();
    this.shell = null;
  }

  private startShell(): void {
    const shell = spawn('/bin/sh', ['-c', SCRIPT], {
      env: {},
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.shell = shell;
    shell.on('error', () => undefined);
    // Should somebody kill it, the next sandbox brings a new one, which is told of all.
    shell.once('exit', () => {
      if (this.shell === shell) this.shell = null;
    });
    shell.stdin.on('error', () => undefined);
    shell.unref();
    (shell.stdin as Socket).unref();
    for (const group of this.groups) this.tell(`+ ${group}`);
  }

  private tell(line: string): void {
    this.shell?.stdin?.write(`${line}\n`);
  }
}
