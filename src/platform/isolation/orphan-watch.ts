import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/**
 * The shell records the process groups that it reads. Its input ends when the service does; then it kills the remaining
 * ones.
 */
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
 * Ends programs whose service was killed while they were starting. bubblewrap dies with its parent, but between
 * creating the namespaces and entering them its inner process has no such bond: it may wait for the outer one
 * indefinitely, or lead a group of its own already and go on to run the program. Only a process that outlives the
 * service can end both: one small shell for all programs.
 */
export class OrphanWatch {
  private readonly groups = new Set<number>();
  private shell: ChildProcess | null = null;

  /** @param group the process group of a program that was just started. */
  add(group: number): void {
    this.groups.add(group);
    if (this.shell === null) this.startShell();
    else this.send(`+ ${group}`);
  }

  /** The group is empty, and the kernel may soon reuse its number. */
  remove(group: number): void {
    if (this.groups.delete(group)) this.send(`- ${group}`);
  }

  /** Ends the watch; call it when no program is left. */
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
    // If the shell is killed, the next program starts a new one, which receives all groups.
    shell.once('exit', () => {
      if (this.shell === shell) this.shell = null;
    });
    shell.stdin.on('error', () => undefined);
    shell.unref();
    (shell.stdin as Socket).unref();
    for (const group of this.groups) this.send(`+ ${group}`);
  }

  private send(line: string): void {
    this.shell?.stdin?.write(`${line}\n`);
  }
}
